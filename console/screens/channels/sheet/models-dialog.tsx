import { useState } from 'react'
import { Button } from '../../../ui/buttons/button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useKitText } from '../../../ui/text/kit-text.ts'
import { useText } from '../../../ui/text/text.ts'
import { parsePairs } from './mapping.ts'
import { diffModels, modelFamily } from './models.ts'
import { sheetText } from './text.ts'

interface ModelsDialogProps {
  readonly own: readonly string[]
  readonly upstream: readonly string[]
  readonly mapping: string
  readonly onApply: (models: readonly string[]) => void
  readonly onClose: () => void
}

const toggleNames = (names: ReadonlySet<string>, changed: readonly string[], isOn: boolean) =>
  new Set(isOn ? [...names, ...changed] : [...names].filter(name => !changed.includes(name)))

/** What the vendor's list would change: what is new, what stays, what is gone. The reader chooses. */
export function ModelsDialog({ own, upstream, mapping, onApply, onClose }: ModelsDialogProps) {
  const t = useText(sheetText)
  const kit = useKitText()
  const mapped = new Set((parsePairs(mapping) ?? []).map(({ from }) => from))
  const [{ added, kept, removed }] = useState(() => diffModels(own, upstream, mapped))
  const [wanted, setWanted] = useState<ReadonlySet<string>>(() => new Set([...kept, ...removed]))
  const [typed, setTyped] = useState('')
  const isShown = (model: string) => model.toLowerCase().includes(typed.trim().toLowerCase())
  const change = (models: readonly string[], isOn: boolean) => setWanted(toggleNames(wanted, models, isOn))
  const plus = added.filter(model => wanted.has(model)).length
  const minus = [...kept, ...removed].filter(model => !wanted.has(model)).length
  const apply = () => {
    const stay = own.filter(model => wanted.has(model))
    onApply([...stay, ...added.filter(model => wanted.has(model))])
    onClose()
  }
  const lists = [
    { title: t('newModels'), models: added },
    { title: t('goneModels'), models: removed },
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
  const families = Map.groupBy(models, modelFamily)
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
