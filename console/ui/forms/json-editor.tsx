import { Button } from '../buttons/buttons.tsx'
import { inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import type { ControlProps } from './fields.tsx'

interface JsonEditorProps extends Partial<ControlProps> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  /** Inserted by the template button. */
  readonly template?: string
  readonly placeholder?: string
  readonly rows?: number
}

/** JSON editor with line numbers that shows syntax errors while typing. */
export function JsonEditor({
  value,
  onChange,
  template,
  placeholder,
  rows = 5,
  ...control
}: JsonEditorProps) {
  const t = useKitText()
  const problem = findJsonError(value)
  const lines = Math.max(value.split('\n').length, rows)
  return (
    <div className="grid gap-1.5">
      <div className="flex overflow-hidden rounded-control border border-line-strong bg-surface focus-within:outline-2 focus-within:outline-ring hover:border-muted">
        <pre
          aria-hidden
          className="border-r border-line bg-sunken px-2 py-2 text-right font-mono text-small text-subtle select-none"
        >
          {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
        </pre>
        <textarea
          {...control}
          value={value}
          rows={lines}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          {...(placeholder ? { placeholder } : {})}
          onChange={event => onChange(event.target.value)}
          className={`${inputClasses} h-auto resize-none rounded-none border-0 py-2 font-mono text-small leading-5 outline-none coarse:h-auto`}
        />
      </div>
      <div className="flex flex-wrap items-start gap-2">
        <p role="status" className="min-w-0 flex-1 text-caption text-danger">
          {problem && t('jsonInvalid', { line: problem.line, reason: problem.reason })}
        </p>
        {template !== undefined && (
          <Button size="small" variant="link" onClick={() => onChange(template)}>
            {t('insertTemplate')}
          </Button>
        )}
        <Button size="small" variant="link" onClick={() => onChange(formatJson(value))}>
          {t('format')}
        </Button>
      </div>
    </div>
  )
}

/** A JSON syntax error and its line. */
interface JsonError {
  readonly line: number
  readonly reason: string
}

const POSITION = /position (\d+)/
const LINE = /line (\d+)/

/** Undefined for valid JSON and for empty text. */
export function findJsonError(text: string): JsonError | undefined {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      line: errorLine(text, reason),
      reason: reason.replace(/ in JSON at position.*$/, '').replace(/ at position.*$/, ''),
    }
  }
}

function errorLine(text: string, reason: string): number {
  const stated = LINE.exec(reason)?.[1]
  if (stated !== undefined) return Number(stated)
  const position = POSITION.exec(reason)?.[1]
  const before = position === undefined ? text : text.slice(0, Number(position))
  return before.split('\n').length
}

/** Indents JSON with two spaces. Returns invalid JSON unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
