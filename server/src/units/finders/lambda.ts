/** AWS Lambda: exported `handler` functions and those typed as Lambda handlers. */
import type { UnitKind } from '../../base/vocabulary.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { baseName } from '../names.ts';

const EVENT_KIND: readonly (readonly [RegExp, UnitKind])[] = [
  [/^SQS|^SNS|^Kinesis|^DynamoDBStream|^S3|^MSK|^Kafka/, 'consumer'],
  [/^Scheduled|^EventBridge|^CloudWatch/, 'cron'],
  [/^APIGateway|^ALB|^LambdaFunctionURL|^CloudFront/, 'http'],
];

export const finder = defineFinder({
  id: 'lambda',
  applies: (file) =>
    file.facts.specifiers.some((s) => /^aws-lambda$|^@middy\/|^@aws-lambda-powertools|^sst\b/.test(s)) ||
    (/\bhandler\b/.test(file.text) && /(?:^|\/)(?:lambdas?|functions?|handlers?)\//.test(file.path)),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const x of ctx.file.facts.exports) {
      const expr = exportedExpr(ctx.file.facts, x.name);
      const handler = expr ? ctx.handler(expr.value, ['handler']) : null;
      const fact = handler?.file.facts.functions[handler.fn];
      if (!expr || !handler || !fact) continue;
      const binding = ctx.file.facts.bindings[x.local];
      const declared = binding?.decl?.k === 'init' ? (binding.decl.type?.name ?? '') : '';
      const paramType = fact.params[0]?.type?.name ?? '';
      const typed = /(?:Handler|Event)(?:V2)?$/.test(declared) || /(?:Event|EventV2)$/.test(paramType);
      if (x.name !== 'handler' && !typed) continue;
      if (x.name === 'handler' && !typed && fact.params.length === 0) continue;
      const kind = EVENT_KIND.find(([p]) => p.test(declared) || p.test(paramType))?.[1] ?? 'lambda';
      out.push({ kind, name: `${baseName(ctx.file.path)}.${x.name}`, symbol: x.name, at: expr.at, handler });
    }
    return out;
  },
});
