import express from 'express';
const app = express();

app.get('/usage', (req, res) => {
  const search = new URL(req.url, 'https://app.example').searchParams;
  const month = search.get('month');
  res.send(month ? decodeURIComponent(month) : 'none');
  //               ^^^^^^^^^^^^^^^^^^ unguarded-parse(low)
});
app.get('/files/:name', (req, res) => {
  res.send(JSON.parse(req.query.state as string));
  //       ^^^^^^^^^^ unguarded-parse(medium)
});
app.post('/webhooks/pay', express.text(), (req, res) => {
  const event = JSON.parse(req.body);
  //            ^^^^^^^^^^ unguarded-parse(low)
  res.send(event.id);
});
