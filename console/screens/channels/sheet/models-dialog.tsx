import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { kitText } from '../../../ui/kit-text.ts'
import { useText } from '../../../ui/text.ts'
import { TextInput } from '../../../ui/text-input.tsx'
import { familyOf, modelDifference } from '../models.ts'
import { pairsOf } from './mapping.ts'
import { sheetText } from './sheet-text.ts'

interface ModelsDialogProps {
  readonly own: readonly string[]
  readonly upstream: readonly string[]
  readonly mapping: string
  readonly onApply: (models: readonly string[]) => void
  readonly onClose: () => void
}

const toggled = (names: ReadonlySet<string>, changed: readonly string[], isOn: boolean) =>
  new Set(isOn ? [...names, ...changed] : [...names].filter(name => !changed.includes(name)))

/** What the vendor's list would change: what is new, what stays, what is gone. The reader chooses. */
export function ModelsDialog({ own, upstream, mapping, onApply, onClose }: ModelsDialogProps) {
  const t = useText(sheetText)
  const kit = useText(kitText)
  const mapped = new Set((pairsOf(mapping) ?? []).map(({ from }) => from))
  const [{ added, kept, gone }] = useState(() => modelDifference(own, upstream, mapped))
  const [wanted, setWanted] = useState<ReadonlySet<string>>(() => new Set([...kept, ...gone]))
  const [typed, setTyped] = useState('')
  const isShown = (model: string) => model.toLowerCase().includes(typed.trim().toLowerCase())
  const change = (models: readonly string[], isOn: boolean) => setWanted(toggled(wanted, models, isOn))
  const plus = added.filter(model => wanted.has(model)).length
  const minus = [...kept, ...gone].filter(model => !wanted.has(model)).length
  const apply = () => {
    const stay = own.filter(model => wanted.has(model))
    onApply([...stay, ...added.filter(model => wanted.has(model))])
    onClose()
  }
  const lists = [
    { title: t('newModels'), models: added },
    { title: t('goneModels'), models: gone },
    { title: t('keptModels'), models: kept },
  ]
  return (
    <Dialog
      title={t('upstreamModels', { count: upstream.length })}
      width="large"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{kit('cancel')}</Button>
          <Button look="primary" disabled={plus + minus === 0} onClick={apply}>
            {t('applyModels', { plus, minus })}
          </Button>
        </>
      }
    >
      <div className="grid gap-4 pt-2">
        <TextInput
          type="search"
          aria-label={t('searchModel')}
          placeholder={t('searchModel')}
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
        <div className="grid max-h-[50dvh] gap-5 overflow-y-auto pr-1">
          {lists.map(({ title, models }) => (
            <ModelList
              key={title}
              title={title}
              models={models.filter(isShown)}
              wanted={wanted}
              onChange={change}
            />
          ))}
        </div>
      </div>
    </Dialog>
  )
}

interface ModelListProps {
  readonly title: string
  readonly models: readonly string[]
  readonly wanted: ReadonlySet<string>
  readonly onChange: (models: readonly string[], isOn: boolean) => void
}

function ModelList({ title, models, wanted, onChange }: ModelListProps) {
  if (models.length === 0) return null
  const on = models.filter(model => wanted.has(model)).length
  const families = Map.groupBy(models, familyOf)
  return (
    <section aria-label={title} className="grid gap-2">
      <Checkbox
        checked={on === models.length}
        isMixed={on > 0 && on < models.length}
        onChange={event => onChange(models, event.target.checked)}
        className="min-h-7 font-medium"
      >
        {title} <span className="text-subtle tabular">{models.length}</span>
      </Checkbox>
      {[...families].map(([family, members]) => (
        <div key={family} className="grid gap-x-4 border-l-2 border-line pl-3 sm:grid-cols-2">
          {members.map(model => (
            <Checkbox
              key={model}
              checked={wanted.has(model)}
              onChange={event => onChange([model], event.target.checked)}
              className="min-h-7 min-w-0 font-mono text-caption [overflow-wrap:anywhere]"
            >
              {model}
            </Checkbox>
          ))}
        </div>
      ))}
    </section>
  )
}
