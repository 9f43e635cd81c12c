-- CreateEnum
CREATE TYPE "OperState" AS ENUM ('BUILD', 'ERROR', 'STOPPED', 'STARTED', 'DESTROYED');

-- CreateEnum
CREATE TYPE "Task" AS ENUM ('BUILDING', 'STARTING', 'STOPPING', 'REBOOTING', 'DESTROYING');

-- CreateEnum
CREATE TYPE "BuildPhase" AS ENUM ('QUEUED', 'ALLOCATING', 'DISKS', 'IMAGE', 'BOOTING', 'DONE');

-- CreateEnum
CREATE TYPE "JobStatus" AS ENUM ('QUEUED', 'WAITING', 'CANCELING', 'RUNNING', 'CANCELED', 'SUCCESS', 'ERROR');

-- CreateEnum
CREATE TYPE "OperationStatus" AS ENUM ('ADMITTED', 'SUBMITTING', 'SUBMITTED', 'RUNNING', 'SUCCESS', 'ERROR', 'CANCELED', 'INDETERMINATE');

-- CreateEnum
CREATE TYPE "StepState" AS ENUM ('PLANNED', 'SENDING', 'SUBMITTED', 'DONE', 'REJECTED', 'CANCELED', 'INDETERMINATE');

-- CreateEnum
CREATE TYPE "NetworkState" AS ENUM ('PENDING', 'ACTIVE', 'DELETED', 'ERROR');

-- CreateEnum
CREATE TYPE "NetworkFlavor" AS ENUM ('CUSTOM', 'IP_LESS_ROUTED', 'MAC_FILTERED', 'PHYSICAL_VLAN');

-- CreateEnum
CREATE TYPE "NetworkAction" AS ENUM ('CREATE', 'DESTROY');

-- CreateEnum
CREATE TYPE "NicState" AS ENUM ('BUILD', 'ACTIVE', 'ERROR', 'DOWN');

-- CreateEnum
CREATE TYPE "FirewallProfile" AS ENUM ('ENABLED', 'DISABLED', 'PROTECTED');

-- CreateEnum
CREATE TYPE "DiagnosticLevel" AS ENUM ('DEBUG', 'INFO', 'WARNING', 'ERROR');

-- CreateEnum
CREATE TYPE "ClaimMode" AS ENUM ('SHARED', 'EXCLUSIVE');

-- CreateEnum
CREATE TYPE "EntityType" AS ENUM ('VIRTUAL_MACHINE', 'NETWORK', 'BACKEND', 'OPERATION');

-- CreateEnum
CREATE TYPE "AddressHolder" AS ENUM ('NIC', 'EXTERNAL');

-- CreateTable
CREATE TABLE "Backend" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "endpoints" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "username" TEXT NOT NULL,
    "passwordCipher" TEXT NOT NULL,
    "caPem" TEXT,
    "certificateFingerprint" TEXT,
    "clusterName" TEXT NOT NULL,
    "clusterUuid" TEXT NOT NULL,
    "hypervisor" TEXT NOT NULL,
    "diskTemplates" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "softwareVersion" TEXT NOT NULL,
    "nodeGroups" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "createDefaults" JSONB NOT NULL DEFAULT '{}',
    "isDrained" BOOLEAN NOT NULL DEFAULT false,
    "isOffline" BOOLEAN NOT NULL DEFAULT false,
    "isPublic" BOOLEAN NOT NULL DEFAULT true,
    "isReachable" BOOLEAN NOT NULL DEFAULT true,
    "lastSeenAt" TIMESTAMPTZ(6),
    "lastError" TEXT,
    "memoryTotalMiB" INTEGER,
    "memoryFreeMiB" INTEGER,
    "diskTotalMiB" INTEGER,
    "diskFreeMiB" INTEGER,
    "cpuTotal" INTEGER,
    "instanceMemoryMiB" INTEGER,
    "instanceCount" INTEGER NOT NULL DEFAULT 0,
    "lastJobId" BIGINT NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "Backend_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Flavor" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "cpu" INTEGER NOT NULL,
    "memoryMiB" INTEGER NOT NULL,
    "diskGiB" INTEGER NOT NULL,
    "diskTemplate" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "Flavor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Image" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "osType" TEXT NOT NULL,
    "osParameters" JSONB NOT NULL DEFAULT '{}',
    "secretParameters" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secretsCipher" TEXT,
    "progressParameter" TEXT,
    "configUrlParameter" TEXT,
    "backendImageId" TEXT,
    "format" TEXT,
    "checksum" TEXT,
    "properties" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "Image_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Network" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "ownerId" TEXT,
    "flavor" "NetworkFlavor" NOT NULL,
    "mode" TEXT NOT NULL,
    "link" TEXT NOT NULL,
    "macPrefix" TEXT NOT NULL,
    "subnet" TEXT,
    "gateway" TEXT,
    "subnet6" TEXT,
    "gateway6" TEXT,
    "dhcp" BOOLEAN NOT NULL DEFAULT false,
    "isPublic" BOOLEAN NOT NULL DEFAULT false,
    "isDrained" BOOLEAN NOT NULL DEFAULT false,
    "state" "NetworkState" NOT NULL DEFAULT 'ACTIVE',
    "action" "NetworkAction" NOT NULL DEFAULT 'CREATE',
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "Network_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "BackendNetwork" (
    "id" SERIAL NOT NULL,
    "networkId" INTEGER NOT NULL,
    "backendId" INTEGER NOT NULL,
    "operState" "NetworkState" NOT NULL DEFAULT 'PENDING',
    "macPrefix" TEXT NOT NULL,
    "connectedGroups" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "missingGroups" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "lastJobId" BIGINT,
    "lastJobOpcode" TEXT,
    "lastJobStatus" "JobStatus",
    "lastJobMessage" TEXT,
    "markEndUs" BIGINT NOT NULL DEFAULT 0,
    "markJobId" BIGINT NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "BackendNetwork_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Address" (
    "id" SERIAL NOT NULL,
    "networkId" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "holder" "AddressHolder" NOT NULL,
    "nicId" INTEGER,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Address_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "VirtualMachine" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "ganetiName" TEXT NOT NULL,
    "ganetiUuid" TEXT,
    "ownerId" TEXT NOT NULL,
    "backendId" INTEGER,
    "flavorId" INTEGER NOT NULL,
    "imageId" INTEGER NOT NULL,
    "operState" "OperState" NOT NULL DEFAULT 'BUILD',
    "task" "Task",
    "buildPercentage" INTEGER NOT NULL DEFAULT 0,
    "buildPhase" "BuildPhase" NOT NULL DEFAULT 'QUEUED',
    "buildMessage" TEXT,
    "buildUpdatedAt" TIMESTAMPTZ(6),
    "lastJobId" BIGINT,
    "lastJobOpcode" TEXT,
    "lastJobStatus" "JobStatus",
    "lastJobMessage" TEXT,
    "markEndUs" BIGINT NOT NULL DEFAULT 0,
    "markJobId" BIGINT NOT NULL DEFAULT 0,
    "isSuspended" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "observedAt" TIMESTAMPTZ(6),
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "VirtualMachine_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "NetworkInterface" (
    "id" SERIAL NOT NULL,
    "virtualMachineId" INTEGER NOT NULL,
    "networkId" INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "ganetiUuid" TEXT,
    "mac" TEXT,
    "ipv4" TEXT,
    "ipv6" TEXT,
    "firewallProfile" "FirewallProfile",
    "state" "NicState" NOT NULL DEFAULT 'BUILD',
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(6),

    CONSTRAINT "NetworkInterface_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Diagnostic" (
    "id" SERIAL NOT NULL,
    "virtualMachineId" INTEGER NOT NULL,
    "level" "DiagnosticLevel" NOT NULL DEFAULT 'DEBUG',
    "source" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "details" TEXT,
    "eventAt" TIMESTAMPTZ(6),
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Diagnostic_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Operation" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "status" "OperationStatus" NOT NULL,
    "actor" TEXT NOT NULL,
    "idempotencyKey" TEXT,
    "inputHash" TEXT NOT NULL,
    "input" JSONB NOT NULL,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "isDryRun" BOOLEAN NOT NULL DEFAULT false,
    "isCancelRequested" BOOLEAN NOT NULL DEFAULT false,
    "errorCode" TEXT,
    "errorMessage" TEXT,
    "parentOperationId" UUID,
    "virtualMachineId" INTEGER,
    "networkId" INTEGER,
    "backendId" INTEGER,
    "leaseOwner" UUID,
    "leaseUntil" TIMESTAMPTZ(6),
    "logSerial" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "submittedAt" TIMESTAMPTZ(6),
    "finalizedAt" TIMESTAMPTZ(6),

    CONSTRAINT "Operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OperationJob" (
    "id" UUID NOT NULL,
    "operationId" UUID NOT NULL,
    "step" INTEGER NOT NULL,
    "backendId" INTEGER NOT NULL,
    "backendNetworkId" INTEGER,
    "opcode" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "state" "StepState" NOT NULL DEFAULT 'PLANNED',
    "dependsOn" UUID[] DEFAULT ARRAY[]::UUID[],
    "jobId" BIGINT,
    "jobIdFloor" BIGINT,
    "jobStatus" "JobStatus",
    "sendCount" INTEGER NOT NULL DEFAULT 0,
    "sentAt" TIMESTAMPTZ(6),
    "nextTryAt" TIMESTAMPTZ(6),
    "missingCount" INTEGER NOT NULL DEFAULT 0,
    "missingSince" TIMESTAMPTZ(6),
    "lastLogSerial" INTEGER NOT NULL DEFAULT 0,
    "lastLogMessage" TEXT,
    "errorCode" TEXT,
    "errorMessage" TEXT,
    "receivedUs" BIGINT,
    "startUs" BIGINT,
    "endUs" BIGINT,

    CONSTRAINT "OperationJob_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OperationLogLine" (
    "operationId" UUID NOT NULL,
    "serial" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "atUs" BIGINT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "OperationLogLine_pkey" PRIMARY KEY ("operationId","serial")
);

-- CreateTable
CREATE TABLE "Claim" (
    "id" BIGSERIAL NOT NULL,
    "resource" TEXT NOT NULL,
    "mode" "ClaimMode" NOT NULL,
    "operationId" UUID,
    "holderReplicaId" UUID,
    "holderRequestId" TEXT,
    "expiresAt" TIMESTAMPTZ(6),
    "fence" BIGSERIAL NOT NULL,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Claim_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Replica" (
    "bootId" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeatAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Replica_pkey" PRIMARY KEY ("bootId")
);

-- CreateTable
CREATE TABLE "SetAsideJob" (
    "id" SERIAL NOT NULL,
    "backendId" INTEGER NOT NULL,
    "jobId" BIGINT NOT NULL,
    "error" TEXT NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 1,
    "nextTryAt" TIMESTAMPTZ(6) NOT NULL,
    "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SetAsideJob_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Change" (
    "id" BIGSERIAL NOT NULL,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "entityType" "EntityType" NOT NULL,
    "entityId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "changes" JSONB NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "isProgress" BOOLEAN NOT NULL DEFAULT false,
    "operationId" UUID,
    "cause" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "Change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ChangesPruned" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "xid" xid8 NOT NULL,

    CONSTRAINT "ChangesPruned_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "BackendNetwork_backendId_idx" ON "BackendNetwork"("backendId");

-- CreateIndex
CREATE INDEX "Address_nicId_idx" ON "Address"("nicId");

-- CreateIndex
CREATE UNIQUE INDEX "Address_networkId_address_key" ON "Address"("networkId", "address");

-- CreateIndex
CREATE INDEX "VirtualMachine_backendId_idx" ON "VirtualMachine"("backendId");

-- CreateIndex
CREATE INDEX "VirtualMachine_ownerId_id_idx" ON "VirtualMachine"("ownerId", "id");

-- CreateIndex
CREATE INDEX "VirtualMachine_flavorId_idx" ON "VirtualMachine"("flavorId");

-- CreateIndex
CREATE INDEX "VirtualMachine_imageId_idx" ON "VirtualMachine"("imageId");

-- CreateIndex
CREATE INDEX "NetworkInterface_virtualMachineId_index_idx" ON "NetworkInterface"("virtualMachineId", "index");

-- CreateIndex
CREATE INDEX "NetworkInterface_networkId_idx" ON "NetworkInterface"("networkId");

-- CreateIndex
CREATE INDEX "Diagnostic_virtualMachineId_id_idx" ON "Diagnostic"("virtualMachineId", "id");

-- CreateIndex
CREATE INDEX "Operation_virtualMachineId_createdAt_idx" ON "Operation"("virtualMachineId", "createdAt");

-- CreateIndex
CREATE INDEX "Operation_networkId_idx" ON "Operation"("networkId");

-- CreateIndex
CREATE INDEX "Operation_createdAt_id_idx" ON "Operation"("createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Operation_actor_idempotencyKey_key" ON "Operation"("actor", "idempotencyKey");

-- CreateIndex
CREATE INDEX "OperationJob_backendNetworkId_idx" ON "OperationJob"("backendNetworkId");

-- CreateIndex
CREATE UNIQUE INDEX "OperationJob_operationId_step_key" ON "OperationJob"("operationId", "step");

-- CreateIndex
CREATE UNIQUE INDEX "OperationJob_backendId_jobId_key" ON "OperationJob"("backendId", "jobId");

-- CreateIndex
CREATE INDEX "Claim_resource_idx" ON "Claim"("resource");

-- CreateIndex
CREATE INDEX "Claim_operationId_idx" ON "Claim"("operationId");

-- CreateIndex
CREATE UNIQUE INDEX "SetAsideJob_backendId_jobId_key" ON "SetAsideJob"("backendId", "jobId");

-- CreateIndex
CREATE INDEX "Change_entityType_id_idx" ON "Change"("entityType", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Change_entityType_entityId_version_key" ON "Change"("entityType", "entityId", "version");

-- AddForeignKey
ALTER TABLE "BackendNetwork" ADD CONSTRAINT "BackendNetwork_networkId_fkey" FOREIGN KEY ("networkId") REFERENCES "Network"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BackendNetwork" ADD CONSTRAINT "BackendNetwork_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "Backend"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Address" ADD CONSTRAINT "Address_networkId_fkey" FOREIGN KEY ("networkId") REFERENCES "Network"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Address" ADD CONSTRAINT "Address_nicId_fkey" FOREIGN KEY ("nicId") REFERENCES "NetworkInterface"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VirtualMachine" ADD CONSTRAINT "VirtualMachine_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "Backend"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VirtualMachine" ADD CONSTRAINT "VirtualMachine_flavorId_fkey" FOREIGN KEY ("flavorId") REFERENCES "Flavor"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VirtualMachine" ADD CONSTRAINT "VirtualMachine_imageId_fkey" FOREIGN KEY ("imageId") REFERENCES "Image"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NetworkInterface" ADD CONSTRAINT "NetworkInterface_virtualMachineId_fkey" FOREIGN KEY ("virtualMachineId") REFERENCES "VirtualMachine"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NetworkInterface" ADD CONSTRAINT "NetworkInterface_networkId_fkey" FOREIGN KEY ("networkId") REFERENCES "Network"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Diagnostic" ADD CONSTRAINT "Diagnostic_virtualMachineId_fkey" FOREIGN KEY ("virtualMachineId") REFERENCES "VirtualMachine"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Operation" ADD CONSTRAINT "Operation_virtualMachineId_fkey" FOREIGN KEY ("virtualMachineId") REFERENCES "VirtualMachine"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Operation" ADD CONSTRAINT "Operation_networkId_fkey" FOREIGN KEY ("networkId") REFERENCES "Network"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Operation" ADD CONSTRAINT "Operation_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "Backend"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Operation" ADD CONSTRAINT "Operation_parentOperationId_fkey" FOREIGN KEY ("parentOperationId") REFERENCES "Operation"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OperationJob" ADD CONSTRAINT "OperationJob_operationId_fkey" FOREIGN KEY ("operationId") REFERENCES "Operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OperationJob" ADD CONSTRAINT "OperationJob_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "Backend"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OperationJob" ADD CONSTRAINT "OperationJob_backendNetworkId_fkey" FOREIGN KEY ("backendNetworkId") REFERENCES "BackendNetwork"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OperationLogLine" ADD CONSTRAINT "OperationLogLine_operationId_fkey" FOREIGN KEY ("operationId") REFERENCES "Operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Claim" ADD CONSTRAINT "Claim_operationId_fkey" FOREIGN KEY ("operationId") REFERENCES "Operation"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SetAsideJob" ADD CONSTRAINT "SetAsideJob_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "Backend"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Below: what the Prisma schema language cannot say. The last line of defence of 6-claims and 3-domain.

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Many SHARED or one EXCLUSIVE claim per resource, whatever the code above believes.
CREATE UNIQUE INDEX "Claim_one_exclusive" ON "Claim" ("resource") WHERE "mode" = 'EXCLUSIVE';
ALTER TABLE "Claim" ADD CONSTRAINT "Claim_one_mode" EXCLUDE USING gist ("resource" WITH =, "mode" WITH <>);
-- A claim belongs to an operation (no expiry) or to a short request (holder and expiry), never to both or none.
ALTER TABLE "Claim" ADD CONSTRAINT "Claim_one_holder" CHECK (
  ("operationId" IS NOT NULL AND "holderReplicaId" IS NULL AND "holderRequestId" IS NULL AND "expiresAt" IS NULL)
  OR ("operationId" IS NULL AND "holderReplicaId" IS NOT NULL AND "holderRequestId" IS NOT NULL AND "expiresAt" IS NOT NULL));
CREATE INDEX "Claim_holder" ON "Claim" ("holderReplicaId") WHERE "holderReplicaId" IS NOT NULL;

-- Names are held by the rows that bear them while alive.
CREATE UNIQUE INDEX "Backend_name_live" ON "Backend" (lower("name")) WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "Backend_cluster_live" ON "Backend" ("clusterUuid") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "Flavor_name_live" ON "Flavor" ("name") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "Image_name_live" ON "Image" ("name") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "Network_name_live" ON "Network" ((coalesce("ownerId", '')), "name") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "VirtualMachine_name_live" ON "VirtualMachine" ("ownerId", "name") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "VirtualMachine_ganetiName_live" ON "VirtualMachine" ("backendId", "ganetiName") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "BackendNetwork_live" ON "BackendNetwork" ("networkId", "backendId") WHERE "deletedAt" IS NULL;

ALTER TABLE "VirtualMachine" ADD CONSTRAINT "VirtualMachine_percentage" CHECK ("buildPercentage" BETWEEN 0 AND 100);
ALTER TABLE "VirtualMachine" ADD CONSTRAINT "VirtualMachine_destroyed" CHECK (("operState" = 'DESTROYED') = ("deletedAt" IS NOT NULL));
ALTER TABLE "Address" ADD CONSTRAINT "Address_holder" CHECK (("holder" = 'NIC') = ("nicId" IS NOT NULL));
ALTER TABLE "Flavor" ADD CONSTRAINT "Flavor_positive" CHECK ("cpu" > 0 AND "memoryMiB" > 0 AND "diskGiB" >= 0);
-- A terminal operation has an end, an open one has none (invariant I2 hangs on it).
ALTER TABLE "Operation" ADD CONSTRAINT "Operation_finalized" CHECK (
  ("status" IN ('SUCCESS', 'ERROR', 'CANCELED')) = ("finalizedAt" IS NOT NULL));
CREATE INDEX "Operation_open" ON "Operation" ("status") WHERE "finalizedAt" IS NULL;
CREATE INDEX "OperationJob_open" ON "OperationJob" ("backendId", "state") WHERE "state" IN ('PLANNED', 'SENDING', 'SUBMITTED', 'INDETERMINATE');

-- The list cursor is a PostgreSQL snapshot: rows not visible in it are the next batch.
CREATE INDEX "Change_xid" ON "Change" ("xid");
CREATE INDEX "Change_at" ON "Change" ("at");

-- One row or none: how far the record of changes has been pruned.
ALTER TABLE "ChangesPruned" ADD CONSTRAINT "ChangesPruned_one" CHECK ("id" = 1);
