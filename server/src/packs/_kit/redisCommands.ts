/** What Redis commands do, by lower-case name. Owns the split into reads, sets, counters, lists, streams and removals. */
import type { EffectKind, EffectOp, EffectSpec, MemberSpec, TimeoutSpec } from '../contract.ts';

const GROUPS: readonly {
  readonly op: EffectOp;
  readonly kind?: EffectKind;
  readonly more?: Partial<EffectSpec>;
  readonly names: string;
}[] = [
  {
    op: 'read',
    names:
      'get mget getrange strlen exists ttl pttl type hget hmget hgetall hexists hkeys hvals hlen lrange llen lindex smembers sismember scard zrange zrangebyscore zrevrange zscore zcard zcount zrank keys scan hscan sscan zscan xlen xrange xpending bitcount getbit pfcount dbsize time randomkey',
  },
  {
    op: 'write',
    names:
      'set setex psetex setrange mset hset hmset sadd zadd getset getex expireat lset linsert ltrim rename eval evalsha fcall restore setbit pfadd json.set',
  },
  // The answer says whether the key was new: a claim.
  { op: 'write', names: 'setnx hsetnx msetnx renamenx' },
  { op: 'update', names: 'expire pexpire persist touch' },
  { op: 'increment', names: 'incr incrby incrbyfloat decr decrby hincrby hincrbyfloat zincrby' },
  { op: 'insert', names: 'lpush rpush lpushx rpushx append' },
  { op: 'publish', kind: 'queue', names: 'publish spublish xadd' },
  { op: 'consume', kind: 'queue', names: 'xreadgroup xread xautoclaim xclaim blpop brpop blmove brpoplpush' },
  { op: 'ack', kind: 'queue', names: 'xack xdel' },
  { op: 'delete', more: { bestEffort: true }, names: 'del unlink' },
  {
    op: 'delete',
    names:
      'hdel srem zrem lrem lpop rpop spop getdel zpopmin zpopmax zremrangebyscore zremrangebyrank flushall flushdb',
  },
];

/** Members for every command under the names that `spell` gives it. */
export function redisCommands(
  timeout: TimeoutSpec,
  spell: (command: string) => readonly string[],
): Record<string, MemberSpec> {
  const out: Record<string, MemberSpec> = {};
  for (const group of GROUPS)
    for (const command of group.names.split(' ')) {
      const member: MemberSpec = {
        call: { effect: { kind: group.kind ?? 'cache', op: group.op, timeout, ...group.more } },
      };
      for (const name of spell(command)) out[name] = member;
    }
  return out;
}

/** node-redis joins the words of a command in camel case. */
const WORDS = /^(h|l|r|s|z|x|p|m|get|set|incr|decr|exp|pf|bl|br|json\.)?(.*)$/;
const CAMEL: Readonly<Record<string, string>> = {
  mget: 'mGet',
  mset: 'mSet',
  msetnx: 'mSetNX',
  getrange: 'getRange',
  setrange: 'setRange',
  strlen: 'strLen',
  pttl: 'pTTL',
  setnx: 'setNX',
  setex: 'setEx',
  psetex: 'pSetEx',
  getset: 'getSet',
  getex: 'getEx',
  getdel: 'getDel',
  expireat: 'expireAt',
  pexpire: 'pExpire',
  incrby: 'incrBy',
  incrbyfloat: 'incrByFloat',
  decrby: 'decrBy',
  renamenx: 'renameNX',
  evalsha: 'evalSha',
  fcall: 'fCall',
  bitcount: 'bitCount',
  getbit: 'getBit',
  setbit: 'setBit',
  pfadd: 'pfAdd',
  pfcount: 'pfCount',
  dbsize: 'dbSize',
  randomkey: 'randomKey',
  flushall: 'flushAll',
  flushdb: 'flushDb',
  publish: 'publish',
  spublish: 'sPublish',
  rename: 'rename',
  restore: 'restore',
  persist: 'persist',
  scan: 'scan',
  set: 'set',
  hincrby: 'hIncrBy',
  hincrbyfloat: 'hIncrByFloat',
  zincrby: 'zIncrBy',
  hmget: 'hmGet',
  hgetall: 'hGetAll',
  hsetnx: 'hSetNX',
  zrangebyscore: 'zRangeByScore',
  zremrangebyscore: 'zRemRangeByScore',
  zremrangebyrank: 'zRemRangeByRank',
  zpopmin: 'zPopMin',
  zpopmax: 'zPopMax',
  xreadgroup: 'xReadGroup',
  xautoclaim: 'xAutoClaim',
  blpop: 'blPop',
  brpop: 'brPop',
  blmove: 'blMove',
  brpoplpush: 'brPopLPush',
  lpushx: 'lPushX',
  rpushx: 'rPushX',
  'json.set': 'json.set',
  sismember: 'sIsMember',
  zrevrange: 'zRevRange',
};

export function camelCase(command: string): string {
  const known = CAMEL[command];
  if (known) return known;
  if (!/^[hlrszx]/.test(command) || command.length < 4) return command;
  const [, head = '', tail = ''] = WORDS.exec(command) ?? [];
  return head ? `${head}${tail.charAt(0).toUpperCase()}${tail.slice(1)}` : command;
}
