// What many bots are made with: webhooks verified, then kept in memory.
import http from 'node:http'
import { createNodeMiddleware, createProbot } from 'probot'
import { generateKeyPairSync } from 'node:crypto'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding: { type: 'pkcs1', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } })
let taken = 0
const probot = createProbot({ overrides: { appId: 1, privateKey, secret: process.env.BENCH_SECRET, logLevel: 'fatal' } })
const webhook = await createNodeMiddleware(app => app.on('issues.opened', () => { taken++ }), { probot, webhooksPath: '/webhook' })
const server = http.createServer((req, res) => webhook(req, res))
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
