declare function check(domain: string): Promise<{ verified: boolean }>;

export async function patient(domain: string) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(30_000, 2000 * 2 ** attempt)));
    }
  }
}
export async function patientByDefault(domain: string, { attempts = 3, delayMs = 2500 } = {}) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
    } catch (error) {
      if (attempt === attempts - 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(30_000, delayMs * 2 ** attempt)));
    }
  }
}
export async function hasty(domain: string) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await fetch(`https://dns.example/${domain}`);
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(30_000, 100 * 2 ** attempt)));
    }
  }
}
