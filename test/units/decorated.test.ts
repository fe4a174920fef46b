/** Units that decorators make: controllers, resolvers, gateways, queue processors, schedules, messages. */
import { strict as assert } from 'node:assert';
import { unitsIn, unitsOf } from './unitsOf.ts';

describe('units: decorators', () => {
  it('Nest controllers: prefix, verbs, versions, webhooks', () => {
    assert.deepEqual(
      unitsOf(`
import { Controller, Get, Post, Delete, Body } from '@nestjs/common';
@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}
  @Get() async list() {}
  @Get(':id') async one() {}
  @Post() @UseGuards(AuthGuard) async create(@Body() body: CreateOrder) {}
  @Delete(['/:id', '/by-ref/:ref']) async remove() {}
  private async inner() {}
}
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  @Post('/stripe') async stripe() {}
}
@Controller()
export class RootController {
  @Get('health') health() { return 'ok'; }
}
`),
      [
        'http GET /orders',
        'http GET /orders/:id',
        'http POST /orders',
        'http DELETE /orders/:id',
        'webhook POST /webhooks/stripe',
        'http GET /health',
      ],
    );
  });

  it('Nest consumers, events, schedules and gateways', () => {
    assert.deepEqual(
      unitsOf(`
import { Processor, WorkerHost, OnWorkerEvent } from '@nestjs/bullmq';
import { Process } from '@nestjs/bull';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { EventPattern, MessagePattern, GrpcMethod } from '@nestjs/microservices';
import { OnEvent } from '@nestjs/event-emitter';
import { WebSocketGateway, SubscribeMessage } from '@nestjs/websockets';
@Processor('emails')
export class EmailProcessor extends WorkerHost {
  async process(job: Job) {}
  @OnWorkerEvent('failed') onFailed() {}
}
@Processor('videos')
export class VideoProcessor {
  @Process('transcode') async transcode(job: Job) {}
}
@Injectable()
export class Tasks {
  @Cron(CronExpression.EVERY_HOUR) async sweep() {}
  @Interval(10000) async poll() {}
  @OnEvent('order.created') async onOrder(event: OrderCreated) {}
}
@Controller()
export class Messages {
  @EventPattern('order.paid') async paid(data: unknown) {}
  @MessagePattern({ cmd: 'sum' }) async sum(data: number[]) {}
  @GrpcMethod('Hero', 'FindOne') async findOne() {}
}
@WebSocketGateway()
export class Chat {
  handleConnection(client: Socket) {}
  @SubscribeMessage('say') async say(client: Socket, text: string) {}
}
`),
      [
        'job emails',
        'job transcode',
        'cron Tasks.sweep',
        'cron Tasks.poll',
        'subscriber order.created',
        'consumer order.paid',
        'rpc sum',
        'rpc Hero.FindOne',
        'socket Chat.handleConnection',
        'socket say',
      ],
    );
  });

  it('GraphQL resolvers and CQRS handlers', () => {
    assert.deepEqual(
      unitsOf(`
@Resolver(() => User)
export class UserResolver {
  @Query(() => User) async user() {}
  @Mutation(() => User) async renameUser() {}
  @ResolveField() async posts() {}
}
@CommandHandler(PlaceOrder)
export class PlaceOrderHandler implements ICommandHandler<PlaceOrder> {
  async execute(command: PlaceOrder) {}
}
@EventsHandler(OrderPlaced)
export class OrderPlacedHandler {
  async handle(event: OrderPlaced) {}
}
`),
      [
        'graphql Query user',
        'graphql Mutation renameUser',
        'graphql UserResolver.posts',
        'function PlaceOrderHandler.execute',
        'subscriber OrderPlacedHandler.handle',
      ],
    );
  });

  it('decorators with the same names elsewhere make no units', () => {
    assert.deepEqual(
      unitsOf(`
export class Settings {
  @Get('name') name() {}
  @Query() find() {}
  @Timeout(1000) slow() {}
}
@Injectable()
export class Service { async process(job: Job) {} async handle() {} handleConnection() {} }
@Entity()
export class User { @Column() name: string; @Process name2() {} }
`),
      [],
    );
  });

  it('the span begins at the decorator', () => {
    const code = `@Controller('a')\nexport class A {\n  @Get()\n  async list() {\n    return [];\n  }\n}\n`;
    const [unit] = unitsIn(code);
    assert.equal(unit?.start.line, 3);
    assert.equal(unit?.end.line, 6);
    assert.equal(unit?.symbol, 'A.list');
  });
});
