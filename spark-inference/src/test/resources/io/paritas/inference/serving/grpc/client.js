// Asks for predictions: arguments are the target, the folder of the protocol's file, and the token.
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [target, folder, token] = process.argv.slice(2);
const definition = loader.loadSync('open_inference.proto', { includeDirs: [folder], keepCase: true, longs: Number });
const Service = grpc.loadPackageDefinition(definition).inference.GRPCInferenceService;
const client = new Service(target, grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
metadata.set('authorization', 'Bearer ' + token);

function request(first) {
  const raw = Buffer.alloc(12);
  [first, 2, 3].forEach((value, i) => raw.writeFloatLE(value, 4 * i));
  return {
    model_name: 'linear',
    id: String(first),
    inputs: [{ name: 'input', datatype: 'FP32', shape: [1, 3] }],
    raw_input_contents: [raw],
  };
}

function line(response) {
  const raw = response.raw_output_contents[0];
  return [response.id, response.parameters.paritas_outcome.string_param, raw.readFloatLE(0), raw.readFloatLE(4)].join(' ');
}

client.ServerLive({}, (error, answer) => {
  console.log('live', error ? error.message : answer.live);
  client.ModelMetadata({ name: 'linear' }, metadata, (failed, model) => {
    console.log('metadata', failed ? failed.message : model.inputs[0].name, model.inputs[0].shape.join(','));
    client.ModelInfer(request(1), metadata, (refused, response) => {
      console.log(refused ? refused.message : line(response));
      client.ModelInfer(request(1), (unauthenticated) => {
        console.log(grpc.status[unauthenticated.code]);
        const stream = client.ModelStreamInfer(metadata);
        stream.on('data', (message) => console.log(message.error_message || line(message.infer_response)));
        stream.on('error', (broken) => console.log(broken.message));
        stream.on('end', () => client.close());
        stream.write(request(2));
        stream.end();
      });
    });
  });
});
