import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import type { Row } from '../entry.ts'
import { type Bill, type BillLine, recalculateBill } from './bill.ts'
import { useSheetText } from './text.ts'

/** The cost of the request, line by line, so that readers can check the sum. */
export function BillSection({ row }: { readonly row: Row }) {
  const t = useSheetText()
  const { exact, language } = useMoney()
  const bill = recalculateBill(row.entry, row.detail)
  if (!bill)
    return (
      <p className="text-small text-muted">
        {row.entry.quota === 0 ? t('notCharged') : t('chargedOnly', { amount: exact(row.entry.quota) })}
      </p>
    )
  return (
    <>
      <BillTable bill={bill} />
      <BillFormula row={row} bill={bill} />
      {!bill.isConsistent && (
        <Banner tone="danger">
          {t('billDiffers', { sum: bill.sum, charged: formatNumber(bill.charged, language) })}
        </Banner>
      )}
      {row.detail.is_estimated && <Banner tone="warning">{t('estimated')}</Banner>}
      {row.detail.paid_by && <Banner tone="info">{t('paidBy', { plan: row.detail.paid_by.plan })}</Banner>}
      {bill.hold > 0 && !row.detail.paid_by && (
        <p className="text-caption text-muted">
          {t('holdReturned', {
            held: exact(bill.hold),
            back: exact(Math.max(bill.hold - bill.charged, 0)),
          })}
        </p>
      )}
    </>
  )
}

function BillTable({ bill }: { readonly bill: Bill }) {
  const t = useSheetText()
  const { exact, language } = useMoney()
  return (
    <table className="w-full text-small tabular">
      <caption className="sr-only">{t('cost')}</caption>
      <tbody>
        {bill.lines.map(line => (
          <BillRow key={`${line.bucket} ${line.name}`} line={line} groupRatio={bill.groupRatio} />
        ))}
      </tbody>
      <tfoot>
        <tr className="border-t-2 border-line-strong font-semibold">
          <th scope="row" className="py-2 text-left">
            {t('total')}
          </th>
          <td className="py-2 pl-3 text-right" colSpan={2}>
            {exact(bill.charged)}
          </td>
        </tr>
        <tr className="text-caption text-muted">
          <th scope="row" className="text-left font-normal">
            {t('inUnits')}
          </th>
          <td className="pl-3 text-right" colSpan={2}>
            {bill.sum === String(bill.charged)
              ? t('units', { units: formatNumber(bill.charged, language) })
              : t('roundedTo', { sum: bill.sum, units: formatNumber(bill.rounded, language) })}
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

interface BillRowProps {
  readonly line: BillLine
  readonly groupRatio: number
}

function BillRow({ line, groupRatio }: BillRowProps) {
  const t = useSheetText()
  const { exact, language } = useMoney()
  const { bucket, amount, above, tier, region, name } = line
  return (
    <tr className="border-b border-line">
      <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
        {t(bucketTextKey(bucket), { bucket })}
        {above !== undefined && (
          <span className="block text-caption text-muted">
            {t('longPrompt', { tokens: formatNumber(above, language) })}
          </span>
        )}
        {name && <span className="block text-caption text-muted">{name}</span>}
        {tier && <span className="block text-caption text-muted">{t('servedTier', { tier })}</span>}
        {region && <span className="block text-caption text-muted">{t('servedRegion', { region })}</span>}
      </th>
      <td className="py-1.5 pl-3 text-right text-muted">
        <LineFormula line={line} groupRatio={groupRatio} />
      </td>
      <td className="py-1.5 pl-3 text-right whitespace-nowrap">{exact(Number(amount))}</td>
    </tr>
  )
}

/** How the amount of a line comes about. The price of one search, call or second includes the group ratio. */
function LineFormula({ line, groupRatio }: BillRowProps) {
  const t = useSheetText()
  const { price, language } = useMoney()
  const { bucket, ratio, unitsPerMillion, each } = line
  if (bucket === 'unpaid') return undefined
  const tokens = formatNumber(line.tokens, language)
  if (bucket === 'call') return t('callPriced', { calls: ratio, ratio: groupRatio })
  if (each !== undefined) return t('itemPriced', { count: tokens, price: price(Number(each)) })
  if (ratio === 0 && line.name !== undefined) return tokens
  return t('linePriced', { tokens, price: price(unitsPerMillion), ratio: groupRatio })
}

/** The billing formula of the specification with the figures of this entry. */
function BillFormula({ row, bill }: { readonly row: Row; readonly bill: Bill }) {
  const t = useSheetText()
  const { quotaPerUnit, exact } = useMoney()
  const { detail, entry } = row
  const { model_ratio: model = 0, model_price: price = -1, completion_ratio: completion = 1 } = detail
  const isCall = price >= 0
  const isPlain = bill.lines.every(
    ({ bucket, above, tier, region, name }) =>
      !above && !tier && !region && !name && (bucket === 'input' || bucket === 'output'),
  )
  const figures = {
    group: bill.groupRatio,
    model,
    price: `$${price}`,
    completion,
    promptTokens: entry.prompt_tokens,
    completionTokens: entry.completion_tokens,
    unit: quotaPerUnit,
    amount: exact(Number(bill.sum)),
  }
  return (
    <p className="rounded-control bg-sunken px-3 py-2 text-caption text-muted tabular">
      {t(isCall ? 'formulaCall' : isPlain ? 'formula' : 'formulaWeighted', figures)}
    </p>
  )
}

const BUCKET_TEXT_KEYS = {
  input: 'input',
  cachedInput: 'cachedInput',
  cacheWrite: 'cacheWrite',
  cacheWriteHour: 'cacheWriteHour',
  audioInput: 'audioInput',
  imageInput: 'imageInput',
  cachedAudio: 'cachedAudio',
  cachedImage: 'cachedImage',
  images: 'images',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audioOutput',
  imageOutput: 'imageOutput',
  call: 'perCall',
  seconds: 'audioSeconds',
  webSearches: 'webSearches',
  toolCalls: 'toolCalls',
  toolImages: 'toolImages',
  toolInput: 'toolInput',
  toolImageInput: 'toolImageInput',
  toolOutput: 'toolOutput',
  unpaid: 'unpaid',
} as const

type BucketTextKey = (typeof BUCKET_TEXT_KEYS)[keyof typeof BUCKET_TEXT_KEYS] | 'otherTokens'

const bucketTextKeys = new Map<string, BucketTextKey>(Object.entries(BUCKET_TEXT_KEYS))

/** The text key of a token kind. A kind that the console does not know appears under its API name. */
const bucketTextKey = (bucket: string): BucketTextKey => bucketTextKeys.get(bucket) ?? 'otherTokens'
