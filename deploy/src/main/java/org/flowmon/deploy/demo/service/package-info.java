/**
 * What a demo runs on: what it is asked for, its directory, its broker, database and cluster, and
 * its job.
 */
package org.flowmon.deploy.demo.service;
