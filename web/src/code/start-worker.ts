interface Policy {
  readonly createScriptURL: (url: string) => string;
}

interface TrustedTypes {
  readonly createPolicy: (name: string, rules: Policy) => Policy;
}

const ours = /^\/(?:[\w-]+\/)*[\w.-]+\.worker[\w.-]*\.[jt]s$/;
let policy: Policy | undefined;

/** Starts a worker of the page. Its URL is one of our own files: the Content-Security-Policy allows this one way. */
export function startWorker(url: string): Worker {
  policy ??= policyOf((globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes);
  return new Worker(policy.createScriptURL(url), { type: "module" });
}

function policyOf(types: TrustedTypes | undefined): Policy {
  const rules: Policy = { createScriptURL: checkedUrl };
  return types?.createPolicy("sb-worker", rules) ?? rules;
}

/** Fails for a URL that is no worker of this page. */
export function checkedUrl(url: string): string {
  const whole = new URL(url, location.href);
  if (whole.origin !== location.origin || !ours.test(whole.pathname)) {
    throw new TypeError(`${url} is no worker of this page`);
  }
  return whole.href;
}
