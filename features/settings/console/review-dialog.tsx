import { Undo2 } from 'lucide-react'
import { z } from 'zod'
import type { OptionEdit, OptionForm } from '#console/app/settings/form.ts'
import { optionOf, useOptionText } from '#console/app/settings/options.ts'
import { SaveActions } from '#console/app/settings/save-actions.tsx'
import { useSettingsText } from '#console/app/settings/text.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { parseJsonText } from '#contract/json-text.ts'
import type { OptionKind } from '#contract/options/define-option.ts'

const LINES_MAX = 20

interface ReviewDialogProps {
  readonly form: OptionForm
  readonly onSave: () => void
  readonly onClose: () => void
}

/** Lists all unsaved changes with old and new values. */
export function ReviewDialog({ form, onSave, onClose }: ReviewDialogProps) {
  const t = useSettingsText()
  return (
    <Dialog
      title={t('reviewTitle', { count: form.edits.length })}
      width="large"
      onClose={onClose}
      footer={
        <>
          <Button
            onClick={() => {
              form.discard()
              onClose()
            }}
          >
            {t('discard')}
          </Button>
          <Button variant="primary" isBusy={form.isSaving} onClick={onSave}>
            {t('save')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-muted">{t('reviewHelp')}</p>
      <SaveActions step="review" keys={form.edits.map(({ key }) => key)} />
      <ul className="grid gap-3">
        {form.edits.map(edit => (
          <ReviewedEdit key={edit.key} edit={edit} form={form} />
        ))}
      </ul>
    </Dialog>
  )
}

function ReviewedEdit({ edit, form }: { readonly edit: OptionEdit; readonly form: OptionForm }) {
  const t = useSettingsText()
  const { label } = useOptionText()(edit.key)
  const { kind } = optionOf(edit.key)
  const lines = kind === 'secret' ? [] : changeLines(kind, form.storedValue(edit.key), edit.value)
  const problem = form.errorOf(edit.key)
  return (
    <li className="rounded-card border border-line px-3 py-2">
      <div className="flex items-center justify-between gap-2">
        <span className="font-medium">{label}</span>
        <IconButton
          label={t('undoChange', { name: label })}
          icon={Undo2}
          size="small"
          onClick={() => form.reset(edit.key)}
        />
      </div>
      {kind === 'secret' && (
        <p className="text-small text-muted">{t(edit.value === '' ? 'secretGone' : 'secretNew')}</p>
      )}
      <ul className="grid gap-0.5 text-small">
        {lines.slice(0, LINES_MAX).map(line => (
          <li key={line.name}>
            <ChangedLine line={line} />
          </li>
        ))}
      </ul>
      {lines.length > LINES_MAX && (
        <p className="text-small text-muted">{t('more', { count: lines.length - LINES_MAX })}</p>
      )}
      {problem && <p className="text-small text-danger">{problem}</p>}
    </li>
  )
}

function ChangedLine({ line }: { readonly line: ChangeLine }) {
  const isEntry = line.name !== '' && (line.name === line.before || line.name === line.after)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {line.name !== '' && !isEntry && <code className="font-mono text-caption">{line.name}</code>}
      {line.before !== undefined && <ChangedValue text={line.before} isOld />}
      {line.before !== undefined && line.after !== undefined && <span aria-hidden>→</span>}
      {line.after !== undefined && <ChangedValue text={line.after} />}
    </span>
  )
}

function ChangedValue({ text: value, isOld = false }: { readonly text: string; readonly isOld?: boolean }) {
  const t = useSettingsText()
  const Mark = isOld ? 'del' : 'ins'
  return (
    <Mark
      className={`max-h-24 min-w-0 overflow-hidden break-all ${isOld ? 'text-muted' : 'font-medium no-underline'}`}
    >
      <span className="sr-only">{t(isOld ? 'before' : 'after')} </span>
      {value === '' ? t('empty') : value}
    </Mark>
  )
}

/** One change of an edit. `name` is empty for options with a single value; `before` or `after` is undefined for added and removed entries. */
export interface ChangeLine {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const JsonRecord = z.record(z.string(), z.union([z.number(), z.string()]))

function parseRecord(text: string): ReadonlyMap<string, string> | undefined {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text)
  const record = JsonRecord.safeParse(parsed.ok ? parsed.value : undefined)
  return record.success
    ? new Map(Object.entries(record.data).map(([name, value]) => [name, String(value)]))
    : undefined
}

const parseEntries = (text: string, separator: RegExp): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(separator)
      .map(entry => entry.trim())
      .filter(entry => entry !== '')
      .map(entry => [entry, entry]),
  )

function diff(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly ChangeLine[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map(name => ({ name, before: before.get(name), after: after.get(name) }))
    .filter(line => line.before !== line.after)
}

/** The changes of an edit, entry by entry for lists and tables. */
export function changeLines(kind: OptionKind, before: string, after: string): readonly ChangeLine[] {
  const whole = [{ name: '', before, after }]
  if (kind === 'lines') return diff(parseEntries(before, /\n/), parseEntries(after, /\n/))
  if (kind === 'names') return diff(parseEntries(before, /,/), parseEntries(after, /,/))
  if (kind !== 'json') return whole
  const [from, to] = [parseRecord(before), parseRecord(after)]
  return from && to ? diff(from, to) : whole
}
