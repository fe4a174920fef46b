/** A unit's failure modes as Markdown: the committed table where there is one, else what the analysis alone can say. */
import type { Unit } from '../../service/contract.ts';
import type { Located, Session } from '../session.ts';
import { readTable } from './tableFile.ts';

/** `links` adds command links, which only our own client runs. */
export function unitMarkdown(session: Session, located: Located, unit: Unit, links: boolean): string {
  const table = session.tableOf(located, unit);
  const head = `**${unit.name}** · ${unit.kind}`;
  const target = { uri: session.uriOf(located.path), unit: unit.id };
  if (table.text === null) {
    const findings = session.findings(located).filter((finding) => finding.units.includes(unit.id));
    const found = findings.length === 1 ? 'one open failure mode' : `${findings.length} open failure modes`;
    const list = findings
      .map((finding) => `- ${finding.lens}: ${finding.message.replace(/\s*\n\s*/g, ' ')}`)
      .join('\n');
    const action = links
      ? `\n\n${commandLink('Generate failure-mode table', 'sixlens.generateTable', target)}`
      : '';
    return `${head}\n\nNo failure-mode table yet; the code shows ${found}.${list ? `\n\n${list}` : ''}${action}`;
  }
  const content = readTable(session, table.path, table.text).content;
  if (content === null)
    return `${head}\n\nIts table cannot be read. Open the file to see where: \`${table.path}\``;
  const markdown = session.parts.tables.markdown(content, (row) =>
    links ? commandUri('sixlens.openTable', { ...target, row: row.id }) : null,
  );
  const { rows, decided, stale } = content.summary;
  const line = `${decided} of ${rows} decided${stale > 0 ? `, ${stale} stale` : ''}`;
  const action = links ? ` · ${commandLink('Open table', 'sixlens.openTable', target)}` : '';
  return `${head} · ${line}${action}\n\n${markdown}`;
}

function commandUri(command: string, argument: unknown): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`;
}

function commandLink(title: string, command: string, argument: unknown): string {
  return `[${title}](${commandUri(command, argument)})`;
}
