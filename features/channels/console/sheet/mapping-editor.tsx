import { ArrowRight, Plus, TriangleAlert, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { type ControlProps, SegmentedChoice, TextInput } from '#console/ui/forms/fields.tsx'
import { JsonEditor } from '#console/ui/forms/json-editor.tsx'
import {
  findMappingWarnings,
  formatPairs,
  MAPPING_TEMPLATE,
  type MappingPair,
  parsePairs,
} from './mapping.ts'
import { useSheetText } from './text.ts'

const WARNINGS = ['unoffered', 'exposed', 'looping', 'repeated'] as const

interface MappingEditorProps {
  readonly control: ControlProps
  readonly value: string
  readonly models: readonly string[]
  readonly onChange: (value: string) => void
  readonly onBlur: () => void
}

/** Edits a model mapping as a table or as JSON. Switching between them keeps the content. */
export function MappingEditor({ control, value, models, onChange, onBlur }: MappingEditorProps) {
  const t = useSheetText()
  const [mode, setMode] = useState<'table' | 'json'>('table')
  const pairs = parsePairs(value)
  const isTable = mode === 'table' && pairs !== undefined
  return (
    <div className="relative grid gap-2">
      <div className="absolute right-0 bottom-full mb-1">
        <SegmentedChoice
          isLabelHidden
          label={t('mappingLook')}
          value={isTable ? 'table' : 'json'}
          options={[
            { value: 'table', label: t('asTable') },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={setMode}
        />
      </div>
      {isTable ? (
        <PairRows control={control} value={value} models={models} onChange={onChange} onBlur={onBlur} />
      ) : (
        <JsonEditor
          {...control}
          value={value}
          template={MAPPING_TEMPLATE}
          placeholder={MAPPING_TEMPLATE}
          onChange={onChange}
          onBlur={onBlur}
        />
      )}
      {pairs && <MappingWarnings pairs={pairs} models={models} />}
    </div>
  )
}

const EMPTY_PAIR: MappingPair = { from: '', to: '' }

function PairRows({ control, value, models, onChange, onBlur }: MappingEditorProps) {
  const t = useSheetText()
  const list = useId()
  const [written, setWritten] = useState(value)
  const [pairs, setPairs] = useState<readonly MappingPair[]>(() => parsePairs(value) ?? [])
  if (value !== written) {
    setWritten(value)
    setPairs(parsePairs(value) ?? [])
  }
  const write = (next: readonly MappingPair[]) => {
    const asText = formatPairs(next)
    setPairs(next)
    setWritten(asText)
    onChange(asText)
  }
  const change = (index: number, part: Partial<MappingPair>) =>
    write(pairs.map((pair, at) => (at === index ? { ...pair, ...part } : pair)))
  return (
    <div className="grid gap-2">
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has no other identity while it is being typed
        <div key={index} className="flex items-center gap-2">
          <TextInput
            isMono
            list={list}
            aria-label={t('mappingFrom', { number: index + 1 })}
            placeholder={t('requestedModel')}
            value={pair.from}
            onChange={event => change(index, { from: event.target.value })}
            onBlur={onBlur}
          />
          <ArrowRight size={15} aria-hidden className="shrink-0 text-muted" />
          <TextInput
            isMono
            aria-label={t('mappingTo', { number: index + 1 })}
            placeholder={t('upstreamModel')}
            value={pair.to}
            onChange={event => change(index, { to: event.target.value })}
            onBlur={onBlur}
          />
          <IconButton
            label={t('removePair', { number: index + 1 })}
            icon={X}
            size="small"
            onClick={() => write(pairs.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <datalist id={list}>
        {models.map(model => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <Button
        id={control.id}
        aria-label={t('addPair')}
        aria-describedby={control['aria-describedby']}
        size="small"
        icon={Plus}
        className="justify-self-start"
        onClick={() => setPairs([...pairs, EMPTY_PAIR])}
      >
        {t('addPair')}
      </Button>
    </div>
  )
}

interface MappingWarningsProps {
  readonly pairs: readonly MappingPair[]
  readonly models: readonly string[]
}

function MappingWarnings({ pairs, models }: MappingWarningsProps) {
  const t = useSheetText()
  const warnings = findMappingWarnings(pairs, models)
  const found = WARNINGS.filter(warning => warnings[warning].length > 0)
  if (found.length === 0) return null
  return (
    <div role="status">
      <ul className="grid gap-1 text-caption text-warning">
        {found.map(warning => (
          <li key={warning} className="flex gap-1.5">
            <TriangleAlert size={14} aria-hidden className="mt-px shrink-0" />
            <span className="[overflow-wrap:anywhere]">
              {t(warning, { models: warnings[warning].join(', ') })}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
