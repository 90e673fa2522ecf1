import { formatPrice } from '#console/app/format/format.tsx'
import type { Language } from '#console/ui/text/text.ts'
import { BUCKET_RATIOS, type BucketRatios, bucketPrice, type PriceRow } from './model-prices.ts'
import type { usePriceSettingsText } from './text.ts'

interface PriceContext {
  readonly group: number
  readonly defaults: BucketRatios | undefined
}

/** The prices of a model in words: "Input / 1M $2.50 · Output / 1M $10.00". */
export function priceWords(
  row: PriceRow,
  t: ReturnType<typeof usePriceSettingsText>,
  language: Language,
  { group, defaults }: PriceContext = { group: 1, defaults: undefined },
): string {
  if (row.price !== undefined) return t('perCall', { price: formatPrice(row.price * group, language) })
  const words = (['input', ...BUCKET_RATIOS] as const).flatMap(bucket => {
    const price = bucketPrice(row, bucket, defaults)
    return price ? [`${t(`${bucket}PerMillion`)} ${formatPrice(price.dollars * group, language)}`] : []
  })
  return words.join(' · ')
}
