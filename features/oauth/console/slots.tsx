import { enabledMethods } from '#console/app/sign-in/sign-in-methods.ts'
import { accountSection } from '#console/app/slots.ts'

export const slots = accountSection(
  {
    id: 'sso',
    order: 65,
    title: { zh: '单点登录', en: 'Single sign-on' },
    load: async () => (await import('./openid/section.tsx')).OpenIdSection,
  },
  {
    signInButtons: [
      {
        isOffered: status => enabledMethods(status).length > 0,
        load: async () => (await import('./sign-in-buttons.tsx')).OauthButtons,
      },
      { isOffered: () => true, load: async () => (await import('./openid/buttons.tsx')).OpenIdButtons },
    ],
  },
)
