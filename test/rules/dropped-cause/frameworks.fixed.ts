import {
  BadRequestException,
  HttpException,
  InternalServerErrorException,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { TRPCError } from '@trpc/server';
import { BadGatewayException as Local } from './own-errors';

class GatewayDown extends InternalServerErrorException {}
class WithCode extends BadRequestException {
  constructor(readonly code: string) {
    super(code);
  }
}
declare const logger: { error(...args: unknown[]): void };

export async function answered(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error: any) {
    throw new BadRequestException(`no rate: ${error.message}`, { cause: error });
  }
}
export async function withStatus(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new HttpException('no rate', 502, { cause: error });
  }
}
export async function withoutWords(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new InternalServerErrorException(undefined, { cause: error });
  }
}
export async function ownSubclass(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new GatewayDown('no rate', { cause: error });
  }
}
export async function procedure(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'no rate', cause: error });
  }
}

export async function causeGiven(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new BadRequestException('no rate', { cause: error }); // ok: dropped-cause
  }
}
export async function procedureWithCause(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new TRPCError({ code: 'BAD_REQUEST', cause: error }); // ok: dropped-cause
  }
}
export async function procedureWithOptions(load: () => Promise<string>, options: any) {
  try {
    return await load();
  } catch (error) {
    throw new TRPCError(options); // ok: dropped-cause
  }
}
export async function refusedSignIn(verify: () => Promise<string>) {
  try {
    return await verify();
  } catch (error) {
    throw new UnauthorizedException(); // ok: dropped-cause
  }
}
export async function notThere(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new NotFoundException('no such rate'); // ok: dropped-cause
  }
}
export async function loggedFirst(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    logger.error('no rate', error);
    throw new BadRequestException('no rate'); // ok: dropped-cause
  }
}
export async function ownConstructor(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new WithCode('E_RATE'); // ok: dropped-cause
  }
}
export async function classFromElsewhere(load: () => Promise<string>) {
  try {
    return await load();
  } catch (error) {
    throw new Local('no rate'); // ok: dropped-cause
  }
}
