import { useState } from 'react'
import { Checkbox, TextInput } from '#console/ui/forms/fields.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { parsePairs } from './mapping.ts'
import { diffModels, modelFamily } from './models.ts'
import { useSheetText } from './text.ts'

interface ModelsDialogProps {
  readonly own: readonly string[]
  readonly upstream: readonly string[]
  readonly mapping: string
  readonly onApply: (models: readonly string[]) => void
  readonly onClose: () => void
}

const toggleNames = (names: ReadonlySet<string>, changed: readonly string[], isOn: boolean) =>
  new Set(isOn ? [...names, ...changed] : [...names].filter(name => !changed.includes(name)))

/** Compares the models of the channel with those of the provider and lets the user choose which to keep and add. */
export function ModelsDialog({ own, upstream, mapping, onApply, onClose }: ModelsDialogProps) {
  const t = useSheetText()
  const mapped = new Set((parsePairs(mapping) ?? []).map(({ from }) => from))
  const [{ added, kept, removed }] = useState(() => diffModels(own, upstream, mapped))
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set([...kept, ...removed]))
  const [filter, setFilter] = useState('')
  const isShown = (model: string) => model.toLowerCase().includes(filter.trim().toLowerCase())
  const change = (models: readonly string[], isOn: boolean) =>
    setSelected(toggleNames(selected, models, isOn))
  const addedCount = added.filter(model => selected.has(model)).length
  const removedCount = [...kept, ...removed].filter(model => !selected.has(model)).length
  const apply = () => {
    const remaining = own.filter(model => selected.has(model))
    onApply([...remaining, ...added.filter(model => selected.has(model))])
    onClose()
  }
  const lists = [
    { title: t('newModels'), models: added },
    { title: t('removedModels'), models: removed },
    { title: t('keptModels'), models: kept },
  ]
  return (
    <Dialog
      title={t('upstreamModels', { count: upstream.length })}
      width="large"
      onClose={onClose}
      confirm={{
        disabled: addedCount + removedCount === 0,
        onClick: apply,
        children: t('applyModels', { plus: addedCount, minus: removedCount }),
      }}
    >
      <div className="grid gap-4 pt-2">
        <TextInput
          type="search"
          aria-label={t('searchModel')}
          placeholder={t('searchModel')}
          value={filter}
          onChange={event => setFilter(event.target.value)}
        />
        <div className="grid max-h-[50dvh] gap-5 overflow-y-auto pr-1">
          {lists.map(({ title, models }) => (
            <ModelList
              key={title}
              title={title}
              models={models.filter(isShown)}
              selected={selected}
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
  readonly selected: ReadonlySet<string>
  readonly onChange: (models: readonly string[], isOn: boolean) => void
}

function ModelList({ title, models, selected, onChange }: ModelListProps) {
  if (models.length === 0) return null
  const on = models.filter(model => selected.has(model)).length
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
              checked={selected.has(model)}
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
