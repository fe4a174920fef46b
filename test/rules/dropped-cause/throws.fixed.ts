class PlainError extends Error {}
class CodeError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

export async function literal(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new Error('no rate', { cause: error });
  }
}
export async function messageOnly(load: () => Promise<string>) {
  try {
    return await load();
  } catch (e: any) {
    throw new Error(`no rate: ${e.message}`, { cause: e });
  }
}
export async function ownClass(load: () => Promise<string>) {
  try {
    return await load();
  } catch (e) {
    throw new PlainError('no rate', { cause: e });
  }
}
export async function otherOptions(load: () => Promise<string>, options: object) {
  try {
    return await load();
  } catch (e) {
    if (options) throw new TypeError('no rate', { cause: e });
    return null;
  }
}

export async function withCause(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new Error('no rate', { cause: error }); // ok: dropped-cause
  }
}
export async function rethrown(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw error; // ok: dropped-cause
  }
}
export async function logged(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    console.error('no rate', error);
    throw new Error('no rate'); // ok: dropped-cause
  }
}
export async function filtered(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    if (error instanceof PlainError) throw new Error('refused'); // ok: dropped-cause
    throw error;
  }
}
export async function classWithoutCause(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new CodeError('E_RATE'); // ok: dropped-cause
  }
}
export async function handedOn(load: () => Promise<string>, wrap: any) {
  try {
    return await load();
  } catch (error) {
    throw new Error('no rate', error as ErrorOptions); // ok: dropped-cause
  }
}
export async function leftOut(load: () => Promise<string>) {
  try {
    return await load();
  } catch (_error) {
    throw new Error('no rate'); // ok: dropped-cause
  }
}
export function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('invalid JSON'); // ok: dropped-cause
  }
}
export async function noName(load: () => Promise<string>) {
  try {
    return await load();
  } catch {
    throw new Error('no rate'); // ok: dropped-cause
  }
}
export async function spread(load: () => Promise<string>, args: [string, ErrorOptions]) {
  try {
    return await load();
  } catch (error) {
    throw new Error(...args); // ok: dropped-cause
  }
}
export async function inNested(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    return null; // ok: dropped-cause
  }
}
