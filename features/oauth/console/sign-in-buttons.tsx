import { GitBranch, MessageCircle, MessagesSquare, Send } from 'lucide-react'
import { Suspense, useState } from 'react'
import { call, errorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { rememberUser } from '#console/app/session/session.ts'
import { startOauth } from '#console/app/sign-in/oauth.ts'
import { useProvidersText } from '#console/app/sign-in/providers-text.ts'
import {
  enabledMethods,
  lastMethod,
  rememberMethod,
  type SignInMethod,
} from '#console/app/sign-in/sign-in-methods.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { signInWithWechat } from '#contract/accounts/oauth.ts'

const wechat = lazyPart(async () => (await import('#console/app/sign-in/wechat-dialog.tsx')).WechatDialog)
const telegram = lazyPart(
  async () => (await import('#console/app/sign-in/telegram-dialog.tsx')).TelegramDialog,
)

const NAMES = { github: 'GitHub', linuxdo: 'LINUX DO', telegram: 'Telegram' } as const
const ICONS = { github: GitBranch, linuxdo: MessagesSquare, wechat: MessageCircle, telegram: Send } as const

/** Buttons of the enabled identity providers. */
export function OauthButtons() {
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
  return (
    <>
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
    </>
  )
}
