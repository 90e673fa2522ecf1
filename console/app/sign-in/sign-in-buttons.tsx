import { GitBranch, MessageCircle, MessagesSquare, Send } from 'lucide-react'
import { Suspense, useState } from 'react'
import { signInWithWechat } from '#contract/accounts/oauth.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { call, errorText } from '../api/call.ts'
import { useStatus } from '../api/status.ts'
import { rememberUser } from '../session/session.ts'
import { startOauth } from './oauth.ts'
import { useProvidersText } from './providers-text.ts'
import { enabledMethods, lastMethod, rememberMethod, type SignInMethod } from './sign-in-methods.ts'

const wechat = lazyPart(async () => (await import('./wechat-dialog.tsx')).WechatDialog)
const telegram = lazyPart(async () => (await import('./telegram-dialog.tsx')).TelegramDialog)

const NAMES = { github: 'GitHub', linuxdo: 'LINUX DO', telegram: 'Telegram' } as const
const ICONS = { github: GitBranch, linuxdo: MessagesSquare, wechat: MessageCircle, telegram: Send } as const

/** Buttons of the enabled identity providers. */
export function SignInButtons() {
  const t = useProvidersText()
  const status = useStatus()
  const [open, setOpen] = useState<'wechat' | 'telegram'>()
  const [busy, setBusy] = useState<SignInMethod>()
  const methods = enabledMethods(status)
  const begin = async (method: SignInMethod) => {
    if (method === 'wechat') return setOpen(method)
    if (method === 'telegram') {
      rememberMethod(method)
      return setOpen(method)
    }
    setBusy(method)
    try {
      await startOauth(method, status)
    } catch (error) {
      toast('error', errorText(error))
    }
    setBusy(undefined)
  }
  const signIn = async (code: string) => {
    const user = await call(signInWithWechat, { query: { code } })
    rememberMethod('wechat')
    rememberUser(user)
    toast('success', t('signedIn'))
  }
  if (methods.length === 0) return null
  return (
    <div className="grid gap-2.5">
      <p aria-hidden className="my-2.5 flex items-center gap-3 text-caption text-subtle">
        <span className="h-px flex-1 bg-line" />
        {t('or')}
        <span className="h-px flex-1 bg-line" />
      </p>
      {methods.map(method => (
        <Button
          key={method}
          size="large"
          icon={ICONS[method]}
          isBusy={busy === method}
          className="relative w-full"
          onClick={() => void begin(method)}
        >
          {method === 'wechat' ? t('withWechat') : t('with', { name: NAMES[method] })}
          {lastMethod() === method && (
            <span className="absolute inset-y-0 right-3 flex items-center text-caption font-normal text-subtle">
              {t('lastUsed')}
            </span>
          )}
        </Button>
      ))}
      <Suspense fallback={null}>
        {open === 'wechat' && <wechat.Part onCode={signIn} onClose={() => setOpen(undefined)} />}
        {open === 'telegram' && (
          <telegram.Part title={t('with', { name: NAMES.telegram })} onClose={() => setOpen(undefined)} />
        )}
      </Suspense>
    </div>
  )
}
