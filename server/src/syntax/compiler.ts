/** The one door to the TypeScript compiler: the copy that ts-morph brings. Nothing else imports it at run time. */
import { ts } from '@ts-morph/common';

export { ts };
