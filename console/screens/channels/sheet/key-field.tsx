import { z } from 'zod'
import type { ChannelType } from '#contract/channels.ts'
import { PasswordInput } from '../../../ui/password-input.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useText } from '../../../ui/text.ts'
import { TextArea } from '../../../ui/text-area.tsx'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { keyLines } from './key-lines.ts'
import { sheetText } from './sheet-text.ts'

interface KeyFieldProps {
  readonly form: ChannelFormState
  readonly type: ChannelType | undefined
  readonly isNew: boolean
}

const ServiceAccount = z.object({ project_id: z.string() })

function projectOf(key: string): string | undefined {
  try {
    return ServiceAccount.safeParse(JSON.parse(key)).data?.project_id
  } catch {
    return undefined
  }
}

/** The vendor's secret: one, one a line for a batch, or a JSON document. It is never shown again after saving. */
export function KeyField({ form, type, isNew }: KeyFieldProps) {
  const t = useText(sheetText)
  const { isBatch, key } = form.watch()
  const isJson = type?.form.key === 'json'
  const hint = type?.key_hint ? t('keyHint', { hint: type.key_hint }) : undefined
  const placeholder = isNew ? (type?.key_hint ?? '') : t('keyKept')
  const { keys, blanks, repeats } = keyLines(key)
  const dropped = blanks + repeats > 0 ? t('keysDropped', { blanks, repeats }) : hint
  const project = isJson ? projectOf(key) : undefined
  return (
    <>
      <FormField
        form={form}
        name="key"
        label={t('key')}
        isRequired={isNew}
        aside={isBatch ? t('keysCounted', { count: keys.length }) : undefined}
        help={isBatch ? dropped : project ? t('projectOf', { project }) : hint}
      >
        {(field, control) =>
          isBatch || isJson ? (
            <TextArea
              {...control}
              isMono
              rows={isBatch ? 6 : 5}
              value={field.value}
              placeholder={isBatch ? t('onePerLine') : placeholder}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          ) : (
            <PasswordInput
              {...control}
              name="channel-secret"
              autoComplete="new-password"
              data-1p-ignore
              value={field.value}
              placeholder={placeholder}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          )
        }
      </FormField>
      {isNew && !isJson && (
        <Switch
          label={t('batchCreate')}
          help={t('batchCreateHelp')}
          checked={isBatch}
          onChange={event => form.setValue('isBatch', event.target.checked, { shouldDirty: true })}
        />
      )}
    </>
  )
}
