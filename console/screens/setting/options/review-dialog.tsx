import { Undo2 } from 'lucide-react'
import { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'
import { Button, IconButton } from '../../../ui/buttons/button.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useText } from '../../../ui/text/text.ts'
import { text } from '../text.ts'
import { type FieldKind, kindOf } from './fields.tsx'
import type { OptionEdit, OptionForm } from './form.ts'
import { useOptionWords } from './text.ts'

const LINES_MAX = 20

interface ReviewDialogProps {
  readonly form: OptionForm
  readonly onSave: () => void
  readonly onClose: () => void
}

/** Everything that saving would change, old beside new. */
export function ReviewDialog({ form, onSave, onClose }: ReviewDialogProps) {
  const t = useText(text)
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
          <Button look="primary" isBusy={form.isSaving} onClick={onSave}>
            {t('save')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-muted">{t('reviewHelp')}</p>
      <ul className="grid gap-3">
        {form.edits.map(edit => (
          <ReviewedEdit key={edit.key} edit={edit} form={form} />
        ))}
      </ul>
    </Dialog>
  )
}

function ReviewedEdit({ edit, form }: { readonly edit: OptionEdit; readonly form: OptionForm }) {
  const t = useText(text)
  const { label } = useOptionWords()(edit.key)
  const kind = kindOf(edit.key)
  const lines = kind === 'secret' ? [] : changeLines(kind, form.storedOf(edit.key), edit.value)
  const problem = form.problemOf(edit.key)
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
      {line.before !== undefined && <Side text={line.before} isOld />}
      {line.before !== undefined && line.after !== undefined && <span aria-hidden>→</span>}
      {line.after !== undefined && <Side text={line.after} />}
    </span>
  )
}

function Side({ text: said, isOld = false }: { readonly text: string; readonly isOld?: boolean }) {
  const t = useText(text)
  const Mark = isOld ? 'del' : 'ins'
  return (
    <Mark
      className={`max-h-24 min-w-0 overflow-hidden break-all ${isOld ? 'text-muted' : 'font-medium no-underline'}`}
    >
      <span className="sr-only">{t(isOld ? 'before' : 'after')} </span>
      {said === '' ? t('empty') : said}
    </Mark>
  )
}

/** One thing that an edit changes. `name` is empty where the option is one value; absent sides are undefined. */
export interface ChangeLine {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const JsonRecord = z.record(z.string(), z.union([z.number(), z.string()]))

function recordIn(text: string): ReadonlyMap<string, string> | undefined {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text)
  const record = JsonRecord.safeParse(parsed.ok ? parsed.value : undefined)
  return record.success
    ? new Map(Object.entries(record.data).map(([name, value]) => [name, String(value)]))
    : undefined
}

const entriesIn = (text: string, separator: RegExp): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(separator)
      .map(entry => entry.trim())
      .filter(entry => entry !== '')
      .map(entry => [entry, entry]),
  )

function linesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly ChangeLine[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map(name => ({ name, before: before.get(name), after: after.get(name) }))
    .filter(line => line.before !== line.after)
}

/** What an edit of one option changes: entry by entry where the option is a list or a table. */
export function changeLines(kind: FieldKind, before: string, after: string): readonly ChangeLine[] {
  const whole = [{ name: '', before, after }]
  if (kind === 'lines') return linesBetween(entriesIn(before, /\n/), entriesIn(after, /\n/))
  if (kind === 'names') return linesBetween(entriesIn(before, /,/), entriesIn(after, /,/))
  if (kind !== 'json') return whole
  const [from, to] = [recordIn(before), recordIn(after)]
  return from && to ? linesBetween(from, to) : whole
}
