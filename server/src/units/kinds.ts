/** Telling kinds of units apart by route and place. Owns the words that make a route a webhook. */

const WEBHOOK = /(?:^|[/._-])(?:web-?hooks?|hooks?|callbacks?|ipn|notify)(?:$|[/._\-:?])/i;

/** A route that other systems call to tell of events. */
export function looksLikeWebhook(route: string, file: string): boolean {
  return WEBHOOK.test(route) || /(?:^|\/)web-?hooks?(?:[./-]|\/)/i.test(file);
}
