import express from 'express';
import { checkout } from './checkout.ts';
import './cron/reconcile.ts';
import { wallet } from './wallet/routes.ts';
import { payments } from './webhooks/payments.ts';

const app = express();

// Webhooks read the raw body themselves, so they come before the JSON parser.
app.use(payments);
app.use(express.json());
app.use(checkout);
app.use('/api', wallet);

const port = Number(process.env.PORT ?? 3000);
app.listen(port, () => console.log(`shop listens on ${port}`));
