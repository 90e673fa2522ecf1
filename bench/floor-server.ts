/**
 * The floor: the least that a proxy on this runtime can do. It passes a request on and its answer back,
 * and knows nothing of keys, prices or logs. Arguments: the port and the upstream's address.
 */
const [port, upstream] = process.argv.slice(2)

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const answer = await fetch(`${upstream}${pathname}`, {
      method: request.method,
      headers: { authorization: 'Bearer lab', 'content-type': 'application/json' },
      body: await request.arrayBuffer(),
      signal: request.signal,
    })
    return new Response(answer.body, {
      status: answer.status,
      headers: { 'content-type': answer.headers.get('content-type') ?? 'application/json' },
    })
  },
})
