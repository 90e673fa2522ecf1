import prices from './default-prices.json'
import { address, decimal, figures, flag, integer, secret, text } from './define-option.ts'

export const integrationOptions = {
  SMTPServer: text('', 'system', 'host of the mail server'),
  SMTPPort: integer(587, [1, 65_535], 'system', 'port of the mail server'),
  SMTPAccount: text('', 'system', 'account at the mail server'),
  SMTPFrom: text('', 'system', 'sender address; empty: the account'),
  SMTPToken: secret('system', 'password at the mail server'),
  SMTPSSLEnabled: flag(false, 'system', 'uses TLS from the start, as on port 465'),
  ServerAddress: address('', 'system', 'public address of the installation, for links and callbacks'),
  WorkerUrl: address('', 'system', 'worker that proxies downloads and webhooks'),
  WorkerValidKey: secret('system', 'key for the worker'),
  PayAddress: address('', 'system', 'address of the payment provider'),
  EpayId: text('', 'system', 'merchant id at the payment provider'),
  EpayKey: secret('system', 'merchant key at the payment provider'),
  CustomCallbackAddress: address('', 'system', 'address for payment callbacks; empty: the server address'),
  Price: decimal(7.3, [0, 1_000_000], 'system', 'price of one dollar of quota'),
  MinTopUp: integer(1, [1, 1_000_000], 'system', 'minimum top-up in dollars'),
  TopupGroupRatio: figures(prices.topup_group_ratio, 'system', 'price factor of top-ups by group'),
} as const
