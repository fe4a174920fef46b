import { EventEmitter } from 'node:events';

export function untilReady(link: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    const onReady = () => {
      link.removeListener('end', onEnd);
      resolve();
    };
    const onEnd = () => {
//        ^^^^^ listener-per-request: When `end` comes first, the listener for `ready` stays on `link`: the other way round it is taken away.
      reject(new Error('closed'));
    };
    link.once('ready', onReady);
    link.once('end', onEnd);
  });
}

export class Cursor {
  private link: EventEmitter | null = null;
  submit(given: EventEmitter) {
    const link = given;
    this.link = given;
    link.once('row', this.onRow);
    link.once('nothing', this.onNothing);
  }
  onRow() {
    this.link?.removeListener('nothing', this.onNothing);
  }
  onNothing() {
//^^^^^^^^^ listener-per-request
    this.link = null;
  }
}

export function bothWays(link: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    const onReady = () => {
      link.off('end', onEnd);
      resolve();
    };
    const onEnd = () => { // ok: listener-per-request
      link.off('ready', onReady);
      reject(new Error('closed'));
    };
    link.once('ready', onReady);
    link.once('end', onEnd);
  });
}

export function inOnePlace(link: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    const tidy = () => {
      link.off('ready', onReady);
      link.off('end', onEnd);
    };
    const onReady = () => {
      tidy();
      resolve();
    };
    const onEnd = () => { // ok: listener-per-request
      tidy();
      reject(new Error('closed'));
    };
    link.once('ready', onReady);
    link.once('end', onEnd);
  });
}

export function ownEmitter() {
  const link = new EventEmitter();
  return new Promise<void>((resolve, reject) => {
    const onReady = () => {
      link.off('end', onEnd);
      resolve();
    };
    const onEnd = () => reject(new Error('closed')); // ok: listener-per-request
    link.once('ready', onReady);
    link.once('end', onEnd);
  });
}

export function nobodyTakesAway(link: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    const onReady = () => resolve(); // ok: listener-per-request
    const onEnd = () => reject(new Error('closed'));
    link.once('ready', onReady);
    link.once('end', onEnd);
  });
}

export async function takenAwayBehind(link: EventEmitter) {
  const onReady = () => {
    link.off('end', onEnd);
  };
  const onEnd = () => {}; // ok: listener-per-request
  link.once('ready', onReady);
  link.once('end', onEnd);
  await new Promise((resolve) => setTimeout(resolve, 10));
  link.off('ready', onReady);
}

export function otherEmitter(link: EventEmitter, second: EventEmitter) {
  const onReady = () => {
    second.off('end', onEnd);
  };
  const onEnd = () => {}; // ok: listener-per-request
  link.once('ready', onReady);
  second.once('end', onEnd);
}

export function Old(this: any, given: EventEmitter) {
  this.link = given;
  this.link.once('row', this.onFirst);
  this.link.once('nothing', this.onNone);
}
Old.prototype.onFirst = function () {
  this.link.removeListener('nothing', this.onNone);
};
Old.prototype.onNone = function () {
//                     ^ listener-per-request
  this.link = null;
};
