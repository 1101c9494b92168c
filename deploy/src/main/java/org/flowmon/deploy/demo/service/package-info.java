/** The base of a demo: options, directory, broker, database, cluster and job. */
@NullMarked
package org.flowmon.deploy.demo.service;

import org.jspecify.annotations.NullMarked;
