import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { revealKeys } from '#console/app/api/token-keys.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { CodeSnippet, type Snippet } from '#console/ui/text/code-snippet.tsx'
import type { Token } from '#contract/entities/token.ts'
import type { CodeBlock, ConnectClient, ConnectStep, ConnectTarget, SettingsField } from './clients.ts'
import { useScreenText } from './text.ts'

interface GuideProps {
  /** The configurations' call target, with a masked key. */
  readonly target: ConnectTarget
  /** The token whose key is in what is copied; undefined for a client that signs in. */
  readonly token: Token | undefined
}

/** The steps that connect one client. The key is masked on the page and complete in what is copied. */
export function ClientGuide({ client, ...guide }: GuideProps & { readonly client: ConnectClient }) {
  const t = useScreenText()
  return (
    <>
      <ol className="grid grid-cols-1 gap-5">
        {client.steps.map((step, index) => (
          <Step key={step.kind} number={index + 1} title={t(step.kind)}>
            <StepContent step={step} {...guide} />
          </Step>
        ))}
      </ol>
      <a
        href={client.documentation}
        target="_blank"
        rel="noreferrer"
        className="inline-flex items-center gap-1.5 justify-self-start text-small text-accent hover:underline"
      >
        {t('documentation', { name: client.name })}
        <ExternalLink size={14} aria-hidden />
      </a>
    </>
  )
}

/** The first call in Python, Node and curl. */
export function CodeGuide({ target, token }: GuideProps) {
  const t = useScreenText()
  const snippets = firstCallSnippets(target).map(({ name, code, write }) => ({
    name,
    code,
    copied: withKey(write, { target, token }),
  }))
  return (
    <ol className="grid grid-cols-1 gap-5">
      <Step number={1} title={t('example')}>
        <StepHelp text={t('exampleHelp')} />
        <CodeSnippet label={t('example')} snippets={snippets} />
      </Step>
    </ol>
  )
}

type Write = (target: ConnectTarget) => string

/** Fetches the key when the text is copied, which may ask the user to confirm the identity. */
const withKey =
  (write: Write, { target, token }: GuideProps) =>
  async (): Promise<string | undefined> => {
    const [revealed] = (token && (await revealKeys([token]))) ?? []
    return revealed && write({ ...target, key: `sk-${revealed.key}` })
  }

function StepContent({ step, ...guide }: GuideProps & { readonly step: ConnectStep }) {
  const t = useScreenText()
  switch (step.kind) {
    case 'install':
    case 'run':
      return <CodeSnippet label={t(step.kind)} snippets={[plainSnippet(step.command)]} />
    case 'file':
    case 'environment':
      return (
        <>
          <StepHelp text={t(step.kind === 'file' ? 'fileHelp' : 'environmentHelp')} />
          <CodeSnippet
            label={t(step.kind)}
            snippets={step.blocks.map(block => maskedSnippet(block, guide))}
          />
        </>
      )
    case 'signIn':
      return (
        <>
          <StepHelp text={t('signInHelp')} />
          <CodeSnippet
            label={t('signIn')}
            snippets={step.blocks.map(({ name, write }) => ({
              name,
              code: write(guide.target),
              copied: write(guide.target),
            }))}
          />
        </>
      )
    case 'settings':
      return <SettingsTable path={step.path} fields={step.fields} {...guide} />
  }
}

const SHELL = 'Terminal'

const plainSnippet = (command: string): Snippet => ({ name: SHELL, code: command, copied: command })

const maskedSnippet = ({ name, write }: CodeBlock, guide: GuideProps): Snippet => ({
  name,
  code: write(guide.target),
  copied: withKey(write, guide),
})

interface SettingsTableProps extends GuideProps {
  readonly path: string
  readonly fields: readonly SettingsField[]
}

function SettingsTable({ path, fields, ...guide }: SettingsTableProps) {
  const t = useScreenText()
  return (
    <>
      <StepHelp text={path} />
      <dl className="divide-y divide-line overflow-hidden rounded-card border border-line">
        {fields.map(({ label, write, isSecret = false }) => (
          <div key={label} className="grid items-center gap-x-4 py-1 pr-1 pl-3 sm:grid-cols-[14rem_1fr]">
            <dt className="text-small text-muted">{label}</dt>
            <dd className="flex min-w-0 items-center">
              <code className="min-w-0 flex-1 font-mono text-small break-all">{write(guide.target)}</code>
              <CopyButton
                text={isSecret ? withKey(write, guide) : write(guide.target)}
                label={t('copyField', { label })}
              />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

const Step = ({ number, title, children }: StepProps) => (
  <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-3">
    <span
      aria-hidden
      className="flex size-6 items-center justify-center rounded-full bg-selected text-caption font-semibold text-accent"
    >
      {number}
    </span>
    <div className="grid grid-cols-1 gap-2">
      <h2 className="font-medium">{title}</h2>
      {children}
    </div>
  </li>
)

const StepHelp = ({ text }: { readonly text: string }) => <p className="text-small text-muted">{text}</p>
