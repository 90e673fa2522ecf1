import { Button } from './button.tsx'
import { type ControlProps, inputClasses } from './control.ts'
import { formatJson, jsonProblem } from './json-problem.ts'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

interface JsonEditorProps extends Partial<ControlProps> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  /** Filled in by the template button. */
  readonly template?: string
  readonly placeholder?: string
  readonly rows?: number
}

/** JSON text with line numbers; says on which line it is broken while it is typed. */
export function JsonEditor({
  value,
  onChange,
  template,
  placeholder,
  rows = 5,
  ...control
}: JsonEditorProps) {
  const t = useText(kitText)
  const problem = jsonProblem(value)
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
          <Button size="small" look="link" onClick={() => onChange(template)}>
            {t('insertTemplate')}
          </Button>
        )}
        <Button size="small" look="link" onClick={() => onChange(formatJson(value))}>
          {t('format')}
        </Button>
      </div>
    </div>
  )
}
