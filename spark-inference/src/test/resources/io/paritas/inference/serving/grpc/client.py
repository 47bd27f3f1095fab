# SPDX-License-Identifier: Apache-2.0
"""A client of the Open Inference Protocol: client.py TARGET DESCRIPTORS TOKEN. Prints what it is answered, a line each."""
import struct
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

target, descriptors, token = sys.argv[1:]
pool = descriptor_pool.DescriptorPool()
with open(descriptors, "rb") as file:
    for described in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.AddSerializedFile(described.SerializeToString())


def message(name):
    described = pool.FindMessageTypeByName("inference." + name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(described)
    return message_factory.MessageFactory(pool).GetPrototype(described)


def method(channel, kind, name, request, response):
    return getattr(channel, kind)(
        "/inference.GRPCInferenceService/" + name,
        request_serializer=message(request).SerializeToString,
        response_deserializer=message(response).FromString,
    )


def query(number):
    request = message("ModelInferRequest")(model_name="linear", id=str(number))
    request.inputs.add(name="input", datatype="FP32", shape=[1, 3])
    request.raw_input_contents.append(struct.pack("<3f", number, 2, 3))
    return request


def show(response):
    values = struct.unpack("<2f", response.raw_output_contents[0])
    print(response.id, response.parameters["paritas_outcome"].string_param, *values)


admitted = [("authorization", "Bearer " + token)]
with grpc.insecure_channel(target) as channel:
    live = method(channel, "unary_unary", "ServerLive", "ServerLiveRequest", "ServerLiveResponse")
    print("live", live(message("ServerLiveRequest")(), timeout=30).live)
    metadata = method(channel, "unary_unary", "ModelMetadata", "ModelMetadataRequest", "ModelMetadataResponse")
    described = metadata(message("ModelMetadataRequest")(name="linear"), timeout=30, metadata=admitted)
    print("metadata", described.inputs[0].name, list(described.inputs[0].shape))
    infer = method(channel, "unary_unary", "ModelInfer", "ModelInferRequest", "ModelInferResponse")
    show(infer(query(1), timeout=30, metadata=admitted, compression=grpc.Compression.Gzip))
    try:
        infer(query(1), timeout=30)
    except grpc.RpcError as error:
        print(error.code().name)
    stream = method(channel, "stream_stream", "ModelStreamInfer", "ModelInferRequest", "ModelStreamInferResponse")
    answers = stream(iter([query(2), query(3)]), timeout=30, metadata=admitted)
    for answer in sorted(answers, key=lambda one: one.infer_response.id):
        show(answer.infer_response)
