import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadError } from '../../../app/api/load-error.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { figureOf } from './figures.ts'
import { type PriceTables, unpricedOf, withRow } from './prices.ts'
import { enabledModelsQuery } from './queries.ts'
import { operationText } from './text.ts'

interface UnpricedModelsProps {
  readonly tables: PriceTables
  readonly onChange: (tables: PriceTables) => void
}

/** Models that can be called and have no price, to be given one ratio together. */
export function UnpricedModels({ tables, onChange }: UnpricedModelsProps) {
  const t = useText(operationText)
  const { data: models, error, isFetching, refetch } = useQuery(enabledModelsQuery)
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState('1')
  const [isTried, setTried] = useState(false)
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!models) return <Skeleton className="h-24 w-full" />
  const unpriced = unpricedOf(models, tables)
  if (unpriced.length === 0) return <p className="text-muted">{t('unpricedNone')}</p>
  const chosen = unpriced.filter(model => !skipped.has(model))
  const ratio = figureOf(typed)
  const fill = () => {
    setTried(true)
    if (ratio === undefined) return
    const rows = chosen.map(name => ({ name, price: undefined, ratio, completion: undefined }))
    onChange(rows.reduce(withRow, tables))
  }
  const flip = (model: string, isChosen: boolean) => {
    const next = new Set(skipped)
    if (isChosen) next.delete(model)
    else next.add(model)
    setSkipped(next)
  }
  return (
    <>
      <p className="text-small text-muted">{t('unpricedHelp')}</p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {unpriced.map(model => (
          <li key={model} className="min-w-0">
            <Checkbox checked={!skipped.has(model)} onChange={event => flip(model, event.target.checked)}>
              <code className="font-mono text-small break-all">{model}</code>
            </Checkbox>
          </li>
        ))}
      </ul>
      <div className="flex items-start gap-2">
        <div className="w-60">
          <Field
            label={t('unpricedFill', { count: chosen.length })}
            error={isTried && ratio === undefined ? t('numberNeeded') : undefined}
          >
            {control => (
              <TextInput
                {...control}
                inputMode="decimal"
                className="tabular"
                value={typed}
                onChange={event => setTyped(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button className="mt-6.5" disabled={chosen.length === 0} onClick={fill}>
          {t('fill')}
        </Button>
      </div>
    </>
  )
}
