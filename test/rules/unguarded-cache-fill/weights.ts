import express from 'express';
import { Redis } from 'ioredis';
const app = express();
const redis = new Redis();
const RATES = 'rates:all';

app.get('/rates', async (req, res) => {
  const known = await redis.get(RATES);
  //                  ^^^^^^^^^ unguarded-cache-fill(medium)
  if (known) return res.send(known);
  const rates = await (await fetch('https://rates.example')).text();
  await redis.set(RATES, rates, 'EX', 60);
  res.send(rates);
});
app.get('/posts/:id', async (req, res) => {
  const key = `post:${req.params.id}`;
  const known = await redis.get(key);
  //                  ^^^^^^^^^ unguarded-cache-fill(low)
  if (known) return res.send(known);
  const post = await (await fetch(`https://posts.example/${req.params.id}`)).text();
  await redis.set(key, post, 'EX', 60);
  res.send(post);
});
