import { useState } from 'react'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { useText } from '../../../ui/text/text.ts'
import { OptionField } from '../options/option-field.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { figuresIn, tableText } from './figures.ts'
import { PriceTable } from './price-table.tsx'
import type { PriceTables } from './prices.ts'
import { ResetRatios } from './reset-ratios.tsx'
import { operationText } from './text.ts'
import { UnpricedModels } from './unpriced-models.tsx'

const JSON_KEYS = ['ModelPrice', 'ModelRatio', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio'] as const

/** What models cost: as a table, as the list of those without a price, or as JSON. */
export function ModelsEditor() {
  const t = useText(operationText)
  const { textAt, set } = useOptionForm()
  const [look, setLook] = useState<'table' | 'unpriced' | 'json'>('table')
  const prices = figuresIn(textAt('ModelPrice'))
  const ratios = figuresIn(textAt('ModelRatio'))
  const completions = figuresIn(textAt('CompletionRatio'))
  const tables: PriceTables | undefined =
    prices && ratios && completions ? { prices, ratios, completions } : undefined
  const change = (next: PriceTables) => {
    if (next.prices !== prices) set('ModelPrice', tableText(next.prices))
    if (next.ratios !== ratios) set('ModelRatio', tableText(next.ratios))
    if (next.completions !== completions) set('CompletionRatio', tableText(next.completions))
  }
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SegmentedChoice
          label={t('look')}
          value={look}
          options={[
            { value: 'table', label: t('modelTable') },
            { value: 'unpriced', label: t('unpriced') },
            { value: 'json', label: t('asJson') },
          ]}
          onChange={setLook}
        />
        <ResetRatios />
      </div>
      {look === 'json' && JSON_KEYS.map(key => <OptionField key={key} optionKey={key} />)}
      {look !== 'json' && !tables && <Banner tone="danger">{t('modelsBroken')}</Banner>}
      {look === 'table' && tables && <PriceTable tables={tables} onChange={change} />}
      {look === 'unpriced' && tables && <UnpricedModels tables={tables} onChange={change} />}
    </>
  )
}
