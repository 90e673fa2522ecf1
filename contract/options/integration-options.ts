import prices from './default-prices.json'
import { address, decimal, figures, flag, integer, secret, text } from './define-option.ts'

export const integrationOptions = {
  SMTPServer: text('', 'system', 'the mail server'),
  SMTPPort: integer(587, [1, 65_535], 'system', 'the port of the mail server'),
  SMTPAccount: text('', 'system', 'the account at the mail server'),
  SMTPFrom: text('', 'system', 'the sender; empty: the account'),
  SMTPToken: secret('system', 'the password at the mail server'),
  SMTPSSLEnabled: flag(false, 'system', 'TLS from the first byte, as on port 465'),
  ServerAddress: address('', 'system', 'the public address of this installation, for links and callbacks'),
  WorkerUrl: address('', 'system', 'a worker through which downloads and webhooks go'),
  WorkerValidKey: secret('system', 'the key that the worker wants'),
  PayAddress: address('', 'system', 'the payment provider'),
  EpayId: text('', 'system', 'the merchant id at the payment provider'),
  EpayKey: secret('system', 'the merchant key at the payment provider'),
  CustomCallbackAddress: address('', 'system', 'where payment notices arrive; empty: the server address'),
  Price: decimal(7.3, [0, 1_000_000], 'system', 'money asked for one dollar of quota'),
  MinTopUp: integer(1, [1, 1_000_000], 'system', 'the least number of dollars to top up'),
  TopupGroupRatio: figures(prices.topup_group_ratio, 'system', 'factor on the price of a top-up by group'),
} as const
