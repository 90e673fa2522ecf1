/**
 * The floor: the cheapest possible proxy on this runtime. It forwards requests and responses without authentication,
 * prices or logs. Arguments: the port and the upstream's address.
 */
const [port, upstream] = process.argv.slice(2)

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const response = await fetch(`${upstream}${pathname}`, {
      method: request.method,
      headers: { authorization: 'Bearer lab', 'content-type': 'application/json' },
      body: await request.arrayBuffer(),
      signal: request.signal,
    })
    return new Response(response.body, {
      status: response.status,
      headers: { 'content-type': response.headers.get('content-type') ?? 'application/json' },
    })
  },
})
