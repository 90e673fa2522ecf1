import { createHash } from 'node:crypto'

/** A fake easy-pay provider that completes every payment at once. */
export interface EasyPay {
  /** Value of the option `PayAddress`. */
  readonly url: string
  readonly merchant: { readonly id: string; readonly key: string }
  /** Submitted payment forms, newest last. */
  readonly orders: ReadonlyArray<Readonly<Record<string, string>>>
  stop(): Promise<void>
}

/** Starts the provider on a free port. It notifies the gateway of each payment and shows the reply. */
export function startEasyPay(): EasyPay {
  const merchant = { id: '1001', key: 'key-of-the-merchant' }
  const orders: Record<string, string>[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (new URL(request.url).pathname !== '/submit.php') return new Response('', { status: 404 })
      const form = Object.fromEntries(new URLSearchParams(await request.text()))
      orders.push(form)
      const reported = await tell(form, merchant.key)
      return new Response(`<!doctype html><title>paid</title><h1>${reported}</h1>`, {
        headers: { 'content-type': 'text/html' },
      })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, merchant, orders, stop: () => server.stop(true) }
}

async function tell(form: Readonly<Record<string, string>>, key: string): Promise<string> {
  const query = new URLSearchParams(paidNotice(form, key))
  return (await fetch(`${form.notify_url}?${query}`)).text()
}

/** The signed notice for a paid form. */
export function paidNotice(form: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const { pid = '', type = '', out_trade_no = '', name = '', money = '' } = form
  const notice = { pid, type, out_trade_no, name, money, trade_no: '2026', trade_status: 'TRADE_SUCCESS' }
  return { ...notice, sign_type: 'MD5', sign: sign(notice, key) }
}

const sign = (fields: Readonly<Record<string, string>>, key: string): string => {
  const pairs = Object.keys(fields)
    .toSorted()
    .map(name => `${name}=${fields[name]}`)
  return createHash('md5')
    .update(pairs.join('&') + key)
    .digest('hex')
}
