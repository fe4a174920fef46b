/**
 * Asks the compiler whether a name's type leaves room for "nothing there". Owns the loading of a checker: nothing is loaded
 * until the first question, and an answer that cannot be had is silence. Reads the disk, not what is open in editors.
 */
import { Project, ts } from 'ts-morph';

export interface PresenceAnswers {
  /** True where the type of the name at the offset is an object and nothing else. `file` is absolute. */
  isAlwaysThere(file: string, offset: number): boolean;
}

/** `tsconfigFor` names the configuration of a file; null: there is none, and no answer either. */
export function presenceAnswers(tsconfigFor: (file: string) => string | null): PresenceAnswers {
  const projects = new Map<string, Project>();
  const projectOf = (config: string): Project => {
    let project = projects.get(config);
    if (!project)
      projects.set(
        config,
        (project = new Project({ tsConfigFilePath: config, skipAddingFilesFromTsConfig: true })),
      );
    return project;
  };
  return {
    isAlwaysThere(file, offset) {
      try {
        const config = tsconfigFor(file);
        if (config === null) return false;
        const project = projectOf(config);
        const { strict, strictNullChecks } = project.getCompilerOptions();
        // Without it every type is said to be there.
        if (!(strictNullChecks ?? strict ?? false)) return false;
        const source = project.getSourceFile(file) ?? project.addSourceFileAtPath(file);
        const node = source.getDescendantAtPos(offset);
        if (!node) return false;
        const type = declared(node.compilerNode, project.getTypeChecker().compilerObject);
        return type !== null && isObject(type);
      } catch {
        return false;
      }
    },
  };
}

/** The type that the name was declared with: at the place itself the checks around it would have narrowed it. */
function declared(node: ts.Node, checker: ts.TypeChecker): ts.Type | null {
  const symbol = checker.getSymbolAtLocation(node);
  const declaration = symbol?.valueDeclaration;
  return symbol && declaration ? checker.getTypeOfSymbolAtLocation(symbol, declaration) : null;
}

function isObject(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.every(isObject);
  if (type.isIntersection()) return type.types.some(isObject);
  return (type.flags & ts.TypeFlags.Object) !== 0;
}
