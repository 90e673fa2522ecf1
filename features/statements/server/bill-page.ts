import { POLICY_HEADER } from '#server/api/page-headers.ts'
import type { PlainRoute } from '#server/api/plain-route.ts'
import { parseRequestUrl } from '#server/api/request-url.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Language, preferredLanguage } from '#server/core/language.ts'
import { formatQuota } from '#server/core/money.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Services } from '#server/feature.ts'
import { escapeHtml } from '#server/notifications/email-template.ts'
import type { Bill, BillLine } from '../contract.ts'
import { createBill } from './bill.ts'
import { BILL_PATH, readBillLink } from './bill-link.ts'
import { spanOfMonth } from './bill-month.ts'

const zh = {
  title: '账单 {number}',
  customer: '客户',
  period: '账期',
  number: '编号',
  provisional: '本月尚未结束，金额仍会变化。',
  zone: '日期按时区 {zone}。各行相加等于合计。',
  model: '模型',
  requests: '请求数',
  inputTokens: '输入 Token',
  outputTokens: '输出 Token',
  amount: '金额',
  otherCharges: '其他消费',
  none: '本月没有消费。',
  total: '合计',
  expired: '链接已过期',
  expiredText: '请向发送者索取新的链接。',
  invalid: '链接无效',
  invalidText: '链接不完整或已被改动。请重新复制，或向发送者索取新的链接。',
  tooOften: '访问过于频繁',
  tooOftenText: '请在一分钟后重试。',
}

const en: Record<keyof typeof zh, string> = {
  title: 'Bill {number}',
  customer: 'Customer',
  period: 'Period',
  number: 'Number',
  provisional: 'The month is not over: the amounts still change.',
  zone: 'Dates in the time zone {zone}. The lines add up to the total.',
  model: 'Model',
  requests: 'Requests',
  inputTokens: 'Input tokens',
  outputTokens: 'Output tokens',
  amount: 'Amount',
  otherCharges: 'Other charges',
  none: 'No charges in this month.',
  total: 'Total',
  expired: 'This link has expired',
  expiredText: 'Ask whoever sent it for a new one.',
  invalid: 'This link is not valid',
  invalidText: 'It is incomplete or was changed. Copy it again, or ask whoever sent it for a new one.',
  tooOften: 'Too many visits',
  tooOftenText: 'Try again in a minute.',
}
const TEXTS = { zh, en }

const STYLE = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:860px;padding:40px 20px;font:15px/1.5 system-ui,"PingFang SC","Noto Sans CJK SC",sans-serif}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:16px 32px;margin-bottom:28px}
h1{margin:0 0 4px;font-size:20px}
p{margin:0;overflow-wrap:anywhere}
.muted,th{color:light-dark(#57606a,#9aa4b0)}
dl{display:grid;grid-template-columns:auto auto;gap:4px 16px;margin:0}
dt{color:light-dark(#57606a,#9aa4b0)}
dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.table{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:14px}
th,td{padding:8px 0 8px 16px;text-align:right;font-weight:400;font-variant-numeric:tabular-nums;border-bottom:1px solid light-dark(#d8dee4,#30363d)}
th:first-child{padding-left:0;text-align:left;overflow-wrap:anywhere}
thead th{word-break:keep-all}
tbody th{color:inherit}
tfoot th,tfoot td{color:inherit;font-weight:600;border:0}
footer{margin-top:20px;font-size:13px}
@media print{:root{color-scheme:light}body{max-width:none;padding:0}}`

/** The page runs nothing and loads nothing. Its address proves a right: it is neither kept, indexed nor passed on. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  [POLICY_HEADER]: `default-src 'none'; img-src data:; style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

/** By network: each visit reads a month. */
const VISITS: RateLimit = { name: 'bill-page', limit: 30, windowMs: 60_000 }

type BillPageServices = Pick<Services, 'db' | 'settings' | 'secrets' | 'rateLimiter'>

/** The bill behind a signed link, for readers who are not signed in. */
export const billPage = ({ db, settings, secrets, rateLimiter }: BillPageServices): PlainRoute => ({
  method: 'GET',
  path: `${BILL_PATH}*`,
  async respond({ request, network }) {
    const language = preferredLanguage(request.headers.get('accept-language'), 'en')
    const link = readBillLink(parseRequestUrl(request.url), secrets)
    if (link.state !== 'valid') return rejection(link.state, language)
    if (!(await rateLimiter.take(VISITS, network)).isAllowed) return rejection('tooOften', language)
    const user = await findUser(db, link.userId)
    if (!user) return rejection('invalid', language)
    const { values } = settings.current()
    const zone = values.ReportingTimeZone
    const bill = await createBill(user, spanOfMonth(link.month, zone), { reader: db, settings })
    const amount = (units: number) => formatQuota(units, values)[language]
    return respondWith(billBody(bill, { language, zone, amount }), {
      language,
      status: 200,
      title: TEXTS[language].title.replace('{number}', bill.number),
    })
  },
})

const REJECTED = { expired: 410, invalid: 404, tooOften: 429 } as const

function rejection(state: keyof typeof REJECTED, language: Language): Response {
  const t = TEXTS[language]
  const body = `<h1>${t[state]}</h1><p class="muted">${t[`${state}Text`]}</p>`
  return respondWith(body, { language, status: REJECTED[state], title: t[state] })
}

interface PageFrame {
  readonly language: Language
  readonly status: number
  readonly title: string
}

const respondWith = (body: string, { language, status, title }: PageFrame): Response =>
  new Response(
    `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`,
    { status, headers: HEADERS },
  )

interface BillPageFormat {
  readonly language: Language
  /** Empty: UTC. */
  readonly zone: string
  readonly amount: (units: number) => string
}

function billBody(bill: Bill, format: BillPageFormat): string {
  const t = TEXTS[format.language]
  const [issuer = '', ...address] = bill.issuer
  const timeZone = format.zone || 'UTC'
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone })
  const dayOf = (seconds: number) => day.format(seconds * 1000)
  const facts = [
    [t.number, bill.number],
    [t.customer, `${bill.username} (#${bill.user_id})`],
    [t.period, `${dayOf(bill.start_timestamp)} – ${dayOf(bill.end_timestamp - 1)}`],
  ]
  return `<header>
<div><h1>${escapeHtml(issuer)}</h1>${address.map(line => `<p class="muted">${escapeHtml(line)}</p>`).join('')}</div>
<dl>${facts.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
</header>
${bill.lines.length === 0 ? `<p>${t.none}</p>` : billTable(bill, format)}
<footer class="muted">${bill.end_timestamp > nowSeconds() ? `<p>${t.provisional}</p>` : ''}<p>${t.zone.replace('{zone}', escapeHtml(timeZone))}</p></footer>`
}

function billTable({ lines, charged }: Bill, { language, amount }: BillPageFormat): string {
  const t = TEXTS[language]
  const head = [t.model, t.requests, t.inputTokens, t.outputTokens, t.amount]
  return `<div class="table"><table>
<thead><tr>${head.map(name => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>${lines.map(line => billRow(line, { language, amount })).join('')}</tbody>
<tfoot><tr><th scope="row" colspan="4">${t.total}</th><td>${escapeHtml(amount(charged))}</td></tr></tfoot>
</table></div>`
}

function billRow(line: BillLine, { language, amount }: Pick<BillPageFormat, 'language' | 'amount'>): string {
  const number = new Intl.NumberFormat('en')
  const counts = [line.requests, line.input_tokens, line.output_tokens].map(count => number.format(count))
  const name = line.model === '' ? TEXTS[language].otherCharges : line.model
  const cells = [...counts, amount(line.amount)].map(cell => `<td>${escapeHtml(cell)}</td>`)
  return `<tr><th scope="row">${escapeHtml(name)}</th>${cells.join('')}</tr>`
}
