import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { useText } from '../../../ui/text.ts'
import { overText } from '../over-text.ts'
import { MAPPING_TEMPLATE } from '../sheet/mapping.ts'

interface TagMappingProps {
  /** Undefined: no change. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** One mapping for all channels of a tag: a new one, none at all, or each its own as before. */
export function TagMapping({ value, onChange }: TagMappingProps) {
  const t = useText(overText)
  return (
    <Field
      label={t('mapping')}
      help={value === undefined ? t('mappingUnchanged') : value === '{}' ? t('mappingCleared') : undefined}
    >
      {control => (
        <div className="grid gap-2">
          <JsonEditor
            {...control}
            value={value ?? ''}
            placeholder={MAPPING_TEMPLATE}
            template={MAPPING_TEMPLATE}
            onChange={next => onChange(next === '' ? undefined : next)}
          />
          <div className="flex gap-2">
            <Button size="small" onClick={() => onChange('{}')}>
              {t('clearMapping')}
            </Button>
            <Button size="small" disabled={value === undefined} onClick={() => onChange(undefined)}>
              {t('noChange')}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}
