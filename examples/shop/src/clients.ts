import { PrismaClient } from '@prisma/client';
import { Redis } from 'ioredis';
import pg from 'pg';
import Stripe from 'stripe';

export const prisma = new PrismaClient();

export const stripe = new Stripe(process.env.STRIPE_SECRET_KEY ?? '', {
  timeout: 10_000,
  maxNetworkRetries: 2,
});

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 5_000,
});

export const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379', {
  maxRetriesPerRequest: null,
});
