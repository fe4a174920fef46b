import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

export class Store {
  private readonly client: S3Client;
  constructor(given: S3ClientConfig) {
    this.client = new S3Client({ ...given });
  }
  async put(key: string, body: Uint8Array) {
    const upload = new Upload({ client: this.client, params: { Bucket: 'b', Key: key, Body: body } });
    await upload.done(); // ok: call-without-timeout
  }
}
