import express from 'express';
const app = express();

app.get('/usage', (req, res) => {
  const search = new URL(req.url, 'https://app.example').searchParams;
  const month = search.get('month');
  res.send(month ? decodeURIComponent(month) : 'none');
});
app.get('/files/:name', (req, res) => {
  res.send(JSON.parse(req.query.state as string));
});
app.post('/webhooks/pay', express.text(), (req, res) => {
  let event;
  try {
    event = JSON.parse(req.body);
  } catch {
    res.status(400).json({ error: 'malformed input' });
    return;
  }
  res.send(event.id);
});
