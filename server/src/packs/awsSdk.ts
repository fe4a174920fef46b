/** The clients of @aws-sdk v3: `client.send(new SomeCommand())` and the aggregated clients' methods. */
import { definePack, type EffectSpec, type MemberSpec, type TimeoutSpec } from './contract.ts';

const CLIENTS = [
  'S3',
  'SQS',
  'SNS',
  'SES',
  'SESv2',
  'DynamoDB',
  'EventBridge',
  'Kinesis',
  'Firehose',
  'Lambda',
  'SFN',
  'SecretsManager',
  'SSM',
  'KMS',
  'STS',
  'CloudWatch',
  'CloudWatchLogs',
  'CloudFront',
  'EC2',
  'ECS',
  'ECR',
  'EKS',
  'IAM',
  'RDS',
  'RDSData',
  'Route53',
  'Scheduler',
  'CognitoIdentityProvider',
  'BedrockRuntime',
  'Textract',
  'Transcribe',
  'Rekognition',
  'Translate',
  'ApiGatewayManagementApi',
  'AppConfigData',
  'Athena',
  'Glue',
  'Batch',
  'Pinpoint',
  'Polly',
  'OpenSearch',
  'Comprehend',
] as const;

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { total: null } }],
  instance: [
    {
      arg: 0,
      path: 'requestHandler.requestTimeout',
      bounds: 'total',
      needs: 'requestHandler.throwOnRequestTimeout',
    },
    { arg: 0, path: 'requestHandler.socketTimeout', bounds: 'idle' },
    { arg: 0, path: 'requestHandler.connectionTimeout', bounds: 'connect' },
  ],
  call: [{ arg: 1, path: 'requestTimeout', bounds: 'headers' }],
  signal: [{ arg: 1, path: 'abortSignal' }],
  clientFix: { arg: 0, property: 'requestHandler: { requestTimeout: $ms, throwOnRequestTimeout: true }' },
  fix: { style: 'signal', arg: 1, path: 'abortSignal' },
};

/** By the operation's name; the first that matches wins. */
const list: readonly { readonly match: string; readonly effect: Partial<EffectSpec> }[] = [
  { match: '^[Ss]endMessage', effect: { kind: 'queue', op: 'publish' } },
  { match: '^[Dd]eleteMessage', effect: { kind: 'queue', op: 'ack' } },
  { match: '^[Cc]hangeMessageVisibility', effect: { kind: 'queue', op: 'nack' } },
  { match: '^[Rr]eceiveMessage', effect: { kind: 'queue', op: 'consume', many: true } },
  { match: '^[Pp]ublish|^[Pp]utEvents|^[Pp]utRecord', effect: { kind: 'queue', op: 'publish' } },
  { match: '^[Ss]end(?:Bulk|Raw|Templated)?(?:Templated)?Email', effect: { kind: 'mail', op: 'send' } },
  { match: '^[Pp]utMetricData|^[Pp]utLogEvents', effect: { op: 'emit', bestEffort: true } },
  {
    match:
      '^(?:[Gg]et|[Ll]ist|[Dd]escribe|[Hh]ead|[Qq]uery|[Ss]can|[Bb]atchGet|[Ss]earch|[Ll]ookup|[Tt]ransactGet|[Dd]etect|[Ss]elect)',
    effect: { op: 'read' },
  },
  { match: '^(?:[Dd]elete|[Rr]emove)', effect: { op: 'delete' } },
  { match: '^[Uu]pdate', effect: { op: 'update' } },
  { match: '^(?:[Cc]reate|[Rr]un|[Ss]tart|[Ii]nvoke)', effect: { op: 'create' } },
];

const base: EffectSpec = {
  kind: 'sdk',
  op: 'write',
  timeout,
  retry: { attempts: [{ range: '*', value: 3 }], backoff: 'exponential', jitter: true, methods: null },
};

const send: MemberSpec = {
  call: { effect: { ...base, variants: { at: { arg: 0, path: '' }, list } }, returns: 'Output' },
};
const operation: MemberSpec = {
  call: { effect: { ...base, variants: { at: 'member', list } }, returns: 'Output' },
};
const client: MemberSpec = { construct: { type: 'Client' } };
const from: MemberSpec = { call: { returns: 'Client', promise: false } };

export const pack = definePack({
  id: 'awsSdk',
  packages: ['@aws-sdk/client-s3', '@aws-sdk/*'],
  assumedVersion: '3.1175.0',
  types: {
    Client: { role: 'client', members: { send, destroy: { call: { promise: false } } } },
    Service: { role: 'client', members: { send, destroy: { call: { promise: false } } }, rest: operation },
    Upload: {
      members: {
        // It waits for as long as the client it is given lets each of its requests take.
        done: { call: { effect: { kind: 'sdk', op: 'write' } } },
        on: { call: { returns: 'self' } },
        abort: { call: { promise: true } },
      },
    },
    /** What the service answered. */
    Output: { role: 'response' },
  },
  exports: {
    ...Object.fromEntries(CLIENTS.map((name) => [`${name}Client`, client])),
    ...Object.fromEntries(CLIENTS.map((name) => [name, { construct: { type: 'Service' } }])),
    DynamoDBDocumentClient: { ...client },
    'DynamoDBDocumentClient.from': from,
    DynamoDBDocument: { construct: { type: 'Service' } },
    Upload: { construct: { type: 'Upload' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '3.1175.0, @smithy/node-http-handler 4.14.2',
      says: 'No connection, request or socket timeout; `requestTimeout` alone only logs a warning, with `throwOnRequestTimeout` it rejects; `socketTimeout` is one of idleness.',
      source: '@smithy/node-http-handler dist-es/node-http-handler.js',
    },
    {
      topic: 'retry.default',
      versions: '3.1175.0',
      says: 'Three attempts in all (DynamoDB four) with full jitter, writes included.',
      source: '@smithy/core dist-es/submodules/retry',
    },
    {
      topic: 'partial-failure',
      versions: '3.1175.0',
      says: 'Batch commands resolve though entries failed: `Failed`, `UnprocessedItems`, `UnprocessedKeys`, `Errors`.',
      source: 'client-sqs and client-dynamodb dist-types/models',
    },
  ],
});
