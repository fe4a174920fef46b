declare function check(domain: string): Promise<{ verified: boolean }>;

export async function patient(domain: string) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
      //           ^^^^^ retry-without-backoff(low)
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}
export async function patientByDefault(domain: string, { attempts = 3, delayMs = 2500 } = {}) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
      //           ^^^^^ retry-without-backoff(low)
    } catch (error) {
      if (attempt === attempts - 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
export async function hasty(domain: string) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
      //           ^^^^^ retry-without-backoff(high)
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
