import { Router } from 'express';
import { transfer, withdraw } from './transfer.ts';

export const wallet = Router();

wallet.post('/wallets/:id/transfers', async (req, res) => {
  await transfer(req.params.id, String(req.body.to), Number(req.body.cents));
  res.sendStatus(204);
});

wallet.post('/wallets/:id/withdrawals', async (req, res) => {
  await withdraw(req.params.id, Number(req.body.cents));
  res.sendStatus(204);
});
