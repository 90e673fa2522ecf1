/** Where the parties stand that the gateway asks for itself. Tests put local ones in their place; nothing else knows an address. */
export interface Parties {
  readonly github: TokenParty
  readonly linuxdo: TokenParty
  readonly turnstile: { readonly verifyUrl: string }
  /** A certificate (PEM) that mail servers are believed by, instead of those that the system knows. */
  readonly mailAuthority?: string
}

/** A party that trades a code for a token, and a token for who somebody is. */
export interface TokenParty {
  readonly tokenUrl: string
  readonly userUrl: string
}

/** How this installation is known to such a party. */
export interface PartyClient {
  readonly clientId: string
  readonly clientSecret: string
}

export const PARTIES: Parties = {
  github: {
    tokenUrl: 'https://github.com/login/oauth/access_token',
    userUrl: 'https://api.github.com/user',
  },
  linuxdo: {
    tokenUrl: 'https://connect.linux.do/oauth2/token',
    userUrl: 'https://connect.linux.do/api/user',
  },
  turnstile: { verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify' },
}
