/* Shows a page of ours when a page of the console cannot be loaded. Stores nothing else and answers nothing else. */
const CACHE = 'offline-1'
/** Where the gateway is served, without a slash at its end. */
const BASE = new URL('.', self.location.href).pathname.slice(0, -1)
const PAGE = `${BASE}/offline.html`
/** Paths that the gateway answers with something other than the console's page. */
const API_PATH =
  /^\/+(api|v1|v1beta|pg|rerank|dashboard\/billing|mj|mj-(fast|relax|turbo)|suno|lab|healthz|readyz|metrics|assets)(\/|$)/i
const FILE_PATH = /\.[^/]*$/
/** What a reverse proxy answers while the gateway is down. */
const PROXY_ERRORS = [502, 503, 504]

self.addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(cache => cache.add(new Request(PAGE, { cache: 'reload' })))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', event => {
  event.waitUntil(
    caches
      .keys()
      .then(names =>
        Promise.all(
          names.filter(name => /^offline-/.test(name) && name !== CACHE).map(name => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', event => {
  if (
    event.request.mode === 'navigate' &&
    isConsolePath(new URL(event.request.url).pathname.slice(BASE.length))
  )
    event.respondWith(openPage(event.request))
})

const isConsolePath = path => !API_PATH.test(path) && !FILE_PATH.test(path)

async function openPage(request) {
  const response = await fetch(request).catch(() => Response.error())
  return isUnreachable(response) ? ((await caches.match(PAGE)) ?? response) : response
}

function isUnreachable({ type, status, headers }) {
  if (type === 'error') return true
  return PROXY_ERRORS.includes(status) && (headers.get('content-type') ?? '').startsWith('text/html')
}
