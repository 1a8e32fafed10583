// The least that keeps a promise: the signature verified, then each delivery its
// own transaction, on disk before it is answered.
import http from 'node:http'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(process.env.BENCH_DB)
db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE deliveries (id TEXT PRIMARY KEY, event TEXT, payload BLOB, received INTEGER)')
const insert = db.prepare('INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?)')
const server = http.createServer((req, res) => {
  const parts = []
  req.on('data', part => parts.push(part))
  req.on('end', () => {
    const body = Buffer.concat(parts)
    const want = Buffer.from('sha256=' + createHmac('sha256', process.env.BENCH_SECRET).update(body).digest('hex'))
    const got = Buffer.from(req.headers['x-hub-signature-256'] ?? '')
    if (want.length !== got.length || !timingSafeEqual(want, got)) { res.writeHead(401).end(); return }
    JSON.parse(body)
    insert.run(req.headers['x-github-delivery'], req.headers['x-github-event'], body, Date.now())
    res.writeHead(202).end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
