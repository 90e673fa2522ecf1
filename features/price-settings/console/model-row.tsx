import { Pencil, Trash2 } from 'lucide-react'
import { formatPrice } from '#console/app/format/format.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { BUCKET_RATIOS, type BucketRatios, bucketPrice, type PriceRow } from './model-prices.ts'
import { usePriceSettingsText } from './text.ts'

export const BUCKETS = ['input', ...BUCKET_RATIOS] as const

interface ModelRowProps {
  readonly row: PriceRow
  readonly defaults: BucketRatios | undefined
  readonly isServed: boolean
  readonly onEdit: () => void
  readonly onRemove: () => void
}

/** The prices of one model in columns, those of its default ratios included. */
export function ModelRow({ row, defaults, isServed, onEdit, onRemove }: ModelRowProps) {
  const t = usePriceSettingsText()
  const language = useLanguage()
  const { name, price } = row
  return (
    <tr className="border-t border-line">
      <th scope="row" className="max-w-72 px-3 py-2 text-left font-normal">
        <code className="block truncate font-mono text-small" title={name}>
          {name}
        </code>
        {isServed && <span className="text-caption text-success">{t('served')}</span>}
      </th>
      {price === undefined ? (
        BUCKETS.map(bucket => (
          <td key={bucket} className="px-3 py-2 text-right">
            <BucketCell row={row} bucket={bucket} defaults={defaults} />
          </td>
        ))
      ) : (
        <td colSpan={BUCKETS.length} className="px-3 py-2 text-right">
          {t('perCall', { price: formatPrice(price, language) })}
        </td>
      )}
      <td className="px-2 py-2">
        <span className="flex items-center justify-end gap-0.5 coarse:gap-3">
          <IconButton label={t('editModel', { name })} icon={Pencil} size="small" onClick={onEdit} />
          <IconButton
            label={t('removeModel', { name })}
            icon={Trash2}
            size="small"
            className="text-danger"
            onClick={onRemove}
          />
        </span>
      </td>
    </tr>
  )
}

interface BucketCellProps extends Pick<ModelRowProps, 'row' | 'defaults'> {
  readonly bucket: (typeof BUCKETS)[number]
}

/** A default that applies looks paler than a price of the options. */
function BucketCell({ row, bucket, defaults }: BucketCellProps) {
  const t = usePriceSettingsText()
  const language = useLanguage()
  const price = bucketPrice(row, bucket, defaults)
  if (!price) return '-'
  const text = formatPrice(price.dollars, language)
  return price.isDefault ? (
    <span className="text-muted" title={t('defaultApplies')}>
      {text}
    </span>
  ) : (
    text
  )
}
